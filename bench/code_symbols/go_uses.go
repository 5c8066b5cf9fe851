// Prints the uses of everything that a Go module defines, as go/types resolves them: one JSON object a line,
// {"path", "line", "name", "uses": ["path:line"]}. Packages of other modules and tests are not read;
// errors of types are passed over.
package main

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"strings"
)

type loader struct {
	root, module string
	files        *token.FileSet
	standard     types.Importer
	loaded       map[string]*types.Package
	uses         map[token.Pos]map[string]bool
	names        map[token.Pos]string
}

func (l *loader) Import(path string) (*types.Package, error) {
	if path == l.module || strings.HasPrefix(path, l.module+"/") {
		return l.check(filepath.Join(l.root, strings.TrimPrefix(path, l.module)), path)
	}
	if strings.Contains(strings.SplitN(path, "/", 2)[0], ".") {
		return nil, fmt.Errorf("of another module")
	}
	return l.standard.Import(path)
}

func (l *loader) check(folder, path string) (*types.Package, error) {
	if found, ok := l.loaded[path]; ok {
		return found, nil
	}
	packages, err := parser.ParseDir(l.files, folder, func(i os.FileInfo) bool {
		return !strings.HasSuffix(i.Name(), "_test.go")
	}, 0)
	if err != nil && len(packages) == 0 {
		return nil, err
	}
	var result *types.Package
	for name, parsed := range packages {
		var files []*ast.File
		for _, file := range parsed.Files {
			files = append(files, file)
		}
		info := &types.Info{Uses: map[*ast.Ident]types.Object{}}
		config := types.Config{Importer: l, Error: func(error) {}, FakeImportC: true}
		checked, _ := config.Check(path, l.files, files, info)
		if !strings.HasSuffix(name, "_test") && name != "main" || result == nil {
			result = checked
		}
		l.collect(info)
	}
	l.loaded[path] = result
	return result, nil
}

func (l *loader) place(at token.Pos) string {
	position := l.files.Position(at)
	relative, _ := filepath.Rel(l.root, position.Filename)
	return fmt.Sprintf("%s:%d", relative, position.Line)
}

func (l *loader) collect(info *types.Info) {
	for identifier, object := range info.Uses {
		if function, ok := object.(*types.Func); ok {
			object = function.Origin()
		}
		if object.Pos().IsValid() && strings.HasPrefix(l.files.Position(object.Pos()).Filename, l.root) {
			if l.uses[object.Pos()] == nil {
				l.uses[object.Pos()] = map[string]bool{}
				l.names[object.Pos()] = object.Name()
			}
			l.uses[object.Pos()][l.place(identifier.Pos())] = true
		}
	}
}

func main() {
	root, _ := filepath.Abs(os.Args[1])
	files := token.NewFileSet()
	l := &loader{root, os.Args[2], files, importer.ForCompiler(files, "source", nil), map[string]*types.Package{},
		map[token.Pos]map[string]bool{}, map[token.Pos]string{}}
	filepath.Walk(root, func(path string, info os.FileInfo, err error) error {
		if err == nil && info.IsDir() && !strings.HasPrefix(info.Name(), ".") && info.Name() != "vendor" {
			if found, _ := filepath.Glob(filepath.Join(path, "*.go")); len(found) > 0 {
				relative, _ := filepath.Rel(root, path)
				l.check(path, strings.TrimSuffix(l.module+"/"+filepath.ToSlash(relative), "/."))
			}
		}
		return nil
	})
	out := json.NewEncoder(os.Stdout)
	for at, places := range l.uses {
		list := []string{}
		for place := range places {
			list = append(list, place)
		}
		out.Encode(map[string]any{"at": l.place(at), "name": l.names[at], "uses": list})
	}
}
