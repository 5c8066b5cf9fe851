"""One small project a language: a class with a method, a function, a constant, and another file that uses them.

In each the file that uses them also has a local variable, a comment and a string of the same name, and a namesake.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Sample:
    """``files``: path -> source; ``home``: the file that defines, ``user``: the one that uses.

    ``uses``: symbol -> lines of ``user`` that use it and lines of ``home``.
    """

    files: dict[str, str]
    home: str
    user: str
    kinds: dict[str, tuple[str, int]]
    uses: dict[str, tuple[set[int], set[int]]]


PYTHON = Sample(
    {
        "shop/cart.py": """MAX_LINES = 3


class Cart:
    def add_line(self, line):
        return check_total(line, MAX_LINES)

    def again(self):
        self.add_line(1)


def check_total(line, most):
    return line
""",
        "shop/views.py": """from shop.cart import Cart, check_total
from shop import cart


def view(request):
    # check_total is a comment
    basket = Cart()
    basket.add_line("check_total")
    return check_total(request, cart.MAX_LINES)


def other(check_total):
    return check_total
""",
        "store/cart.py": "class Cart:\n    def add_line(self):\n        return 2\n",
    },
    "shop/cart.py",
    "shop/views.py",
    {"Cart.add_line": ("method", 5), "check_total": ("function", 12), "MAX_LINES": ("constant", 1)},
    {"Cart.add_line": ({8}, {9}), "check_total": ({1, 9}, {6}), "MAX_LINES": ({9}, {6})},
)
TYPESCRIPT = Sample(
    {
        "src/cart.ts": """export const MAX_LINES = 3

export class Cart {
  addLine(line: number): number {
    return checkTotal(line, MAX_LINES)
  }
}

export function checkTotal(line: number, most: number) {
  return line
}
""",
        "src/views.ts": """import { Cart, checkTotal } from './cart'
import * as cart from './cart'

export function view(request: number) {
  // checkTotal is a comment
  const basket = new Cart()
  basket.addLine(1)
  return checkTotal(request, cart.MAX_LINES)
}

export const other = (checkTotal: string) => checkTotal + 'checkTotal'
""",
        "lib/cart.ts": "export class Cart {\n  addLine() {\n    return 2\n  }\n}\n",
    },
    "src/cart.ts",
    "src/views.ts",
    {"Cart.addLine": ("method", 4), "checkTotal": ("function", 9), "MAX_LINES": ("constant", 1)},
    {"Cart.addLine": ({7}, set()), "checkTotal": ({1, 8}, {5}), "MAX_LINES": ({8}, {5})},
)
GO = Sample(
    {
        "cart/cart.go": """package cart

const MaxLines = 3

type Cart struct{}

func (c *Cart) AddLine(line int) int {
	return CheckTotal(line, MaxLines)
}

func CheckTotal(line, most int) int {
	return line
}
""",
        "views/views.go": """package views

import "example.com/shop/cart"

func View(request int) int {
	// CheckTotal is a comment
	basket := &cart.Cart{}
	basket.AddLine(1)
	return cart.CheckTotal(request, cart.MaxLines)
}

func Other(CheckTotal string) string { return CheckTotal + "CheckTotal" }
""",
        "store/cart.go": "package store\n\ntype Cart struct{}\n\nfunc (c Cart) AddLine() int { return 2 }\n",
    },
    "cart/cart.go",
    "views/views.go",
    {"Cart.AddLine": ("method", 7), "CheckTotal": ("function", 11), "MaxLines": ("constant", 3)},
    {"Cart.AddLine": ({8}, set()), "CheckTotal": ({9}, {8}), "MaxLines": ({9}, {8})},
)
JAVA = Sample(
    {
        "src/shop/Cart.java": """package shop;

public class Cart {
    static final int MAX_LINES = 3;

    int addLine(int line) {
        return checkTotal(line, MAX_LINES);
    }

    static int checkTotal(int line, int most) {
        return line;
    }
}
""",
        "src/web/Views.java": """package web;

import shop.Cart;

class Views {
    int view(int request) {
        // checkTotal is a comment
        Cart basket = new Cart();
        basket.addLine(1);
        return Cart.checkTotal(request, Cart.MAX_LINES);
    }

    String other(String checkTotal) {
        return checkTotal + "checkTotal";
    }
}
""",
        "src/store/Basket.java": "package store;\n\nclass Basket {\n    int addLine() {\n        return 2;\n    }\n}\n",
    },
    "src/shop/Cart.java",
    "src/web/Views.java",
    {"Cart.addLine": ("method", 6), "Cart.checkTotal": ("method", 10), "MAX_LINES": ("constant", 4)},
    {"Cart.addLine": ({9}, set()), "Cart.checkTotal": ({10}, {7}), "MAX_LINES": ({10}, {7})},
)
RUST = Sample(
    {
        "src/cart.rs": """pub const MAX_LINES: u32 = 3;

pub struct Cart;

impl Cart {
    pub fn add_line(&self, line: u32) -> u32 {
        check_total(line, MAX_LINES)
    }
}

pub fn check_total(line: u32, most: u32) -> u32 {
    line
}
""",
        "src/views.rs": """use crate::cart::{check_total, Cart};
use crate::cart;

pub fn view(request: u32) -> u32 {
    // check_total is a comment
    let basket: Cart = Cart;
    basket.add_line(1);
    check_total(request, cart::MAX_LINES)
}

pub fn other(check_total: &str) -> String { format!("check_total {}", check_total) }
""",
        "src/store.rs": "pub struct Basket;\n\nimpl Basket {\n    pub fn add_line(&self) -> u32 { 2 }\n}\n",
    },
    "src/cart.rs",
    "src/views.rs",
    {"Cart::add_line": ("method", 6), "check_total": ("function", 11), "MAX_LINES": ("constant", 1)},
    {"Cart::add_line": ({7}, set()), "check_total": ({1, 8}, {7}), "MAX_LINES": ({8}, {7})},
)
RUBY = Sample(
    {
        "lib/cart.rb": """MAX_LINES = 3

class Cart
  def add_line(line)
    check_total(line, MAX_LINES)
  end

  def check_total(line, most)
    line
  end
end
""",
        "lib/views.rb": """require_relative 'cart'

def view(request)
  # check_total is a comment
  basket = Cart.new
  basket.add_line(1)
  request + MAX_LINES
end

def other(check_total)
  check_total + "check_total"
end
""",
        "lib/store.rb": "class Store\n  def add_line\n    2\n  end\nend\n",
    },
    "lib/cart.rb",
    "lib/views.rb",
    {"Cart#add_line": ("method", 4), "Cart#check_total": ("method", 8), "MAX_LINES": ("constant", 1)},
    {"Cart#add_line": ({6}, set()), "Cart#check_total": (set(), {5}), "MAX_LINES": ({7}, {5})},
)
SAMPLES = {"python": PYTHON, "typescript": TYPESCRIPT, "go": GO, "java": JAVA, "rust": RUST, "ruby": RUBY}
