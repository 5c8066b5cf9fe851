// The emoji people use most, by Slack's names.

import { h } from "./dom.js";

const TABLE = `
smile 😄|smiley 😃|grinning 😀|grin 😁|joy 😂|rofl 🤣|laughing 😆|sweat_smile 😅|wink 😉|blush 😊|innocent 😇|heart_eyes 😍
star-struck 🤩|kissing_heart 😘|yum 😋|stuck_out_tongue 😛|sunglasses 😎|nerd_face 🤓|thinking_face 🤔|neutral_face 😐
expressionless 😑|no_mouth 😶|smirk 😏|unamused 😒|roll_eyes 🙄|grimacing 😬|relieved 😌|pensive 😔|sleepy 😪|sleeping 😴
mask 😷|face_palm 🤦|shrug 🤷|confused 😕|worried 😟|slightly_smiling_face 🙂|upside_down_face 🙃|open_mouth 😮|hushed 😯
astonished 😲|flushed 😳|cry 😢|sob 😭|scream 😱|disappointed 😞|sweat 😓|weary 😩|tired_face 😫|triumph 😤|rage 😡|angry 😠
exploding_head 🤯|hot_face 🥵|cold_face 🥶|partying_face 🥳|hugging_face 🤗|saluting_face 🫡|melting_face 🫠|skull 💀|ghost 👻
alien 👽|robot_face 🤖|poop 💩|see_no_evil 🙈|hear_no_evil 🙉|speak_no_evil 🙊|wave 👋|raised_hand ✋|ok_hand 👌|v ✌️
crossed_fingers 🤞|point_left 👈|point_right 👉|point_up 👆|point_down 👇|+1 👍|thumbsup 👍|-1 👎|thumbsdown 👎|fist ✊|clap 👏
raised_hands 🙌|handshake 🤝|pray 🙏|muscle 💪|eyes 👀|eye 👁️|brain 🧠|heart ❤️|orange_heart 🧡|yellow_heart 💛|green_heart 💚
blue_heart 💙|purple_heart 💜|broken_heart 💔|100 💯|boom 💥|dizzy 💫|sparkles ✨|star ⭐|zap ⚡|fire 🔥|tada 🎉|confetti_ball 🎊
balloon 🎈|gift 🎁|trophy 🏆|medal 🏅|rocket 🚀|ship 🚢|airplane ✈️|car 🚗|construction 🚧|rotating_light 🚨|warning ⚠️
no_entry ⛔|no_entry_sign 🚫|stop_sign 🛑|x ❌|heavy_check_mark ✔️|white_check_mark ✅|ballot_box_with_check ☑️|question ❓
grey_question ❔|exclamation ❗|bangbang ‼️|heavy_plus_sign ➕|heavy_minus_sign ➖|arrow_right ➡️|arrow_left ⬅️|arrow_up ⬆️
arrow_down ⬇️|arrow_upper_right ↗️|arrow_lower_right ↘️|arrows_counterclockwise 🔄|repeat 🔁|rewind ⏪|fast_forward ⏩
red_circle 🔴|large_orange_circle 🟠|large_yellow_circle 🟡|large_green_circle 🟢|large_blue_circle 🔵|large_purple_circle 🟣
white_circle ⚪|black_circle ⚫|large_red_square 🟥|large_green_square 🟩|bulb 💡|mag 🔍|mag_right 🔎|memo 📝|pencil2 ✏️
page_facing_up 📄|clipboard 📋|books 📚|book 📖|bookmark 🔖|link 🔗|paperclip 📎|pushpin 📌|round_pushpin 📍|calendar 📆
date 📅|chart_with_upwards_trend 📈|chart_with_downwards_trend 📉|bar_chart 📊|file_folder 📁|open_file_folder 📂|package 📦
inbox_tray 📥|outbox_tray 📤|email 📧|envelope ✉️|bell 🔔|no_bell 🔕|mega 📣|loudspeaker 📢|speech_balloon 💬|thought_balloon 💭
hourglass ⌛|hourglass_flowing_sand ⏳|stopwatch ⏱️|alarm_clock ⏰|clock1 🕐|lock 🔒|unlock 🔓|key 🔑|hammer 🔨|wrench 🔧
hammer_and_wrench 🛠️|gear ⚙️|toolbox 🧰|test_tube 🧪|microscope 🔬|shield 🛡️|bug 🐛|ant 🐜|snail 🐌|turtle 🐢|dog 🐶|cat 🐱
penguin 🐧|owl 🦉|crystal_ball 🔮|computer 💻|desktop_computer 🖥️|keyboard ⌨️|floppy_disk 💾|satellite 🛰️|globe_with_meridians 🌐
earth_africa 🌍|sunny ☀️|cloud ☁️|umbrella ☔|snowflake ❄️|rainbow 🌈|ocean 🌊|seedling 🌱|evergreen_tree 🌲|coffee ☕|beer 🍺
pizza 🍕|cake 🍰|apple 🍎|eggplant 🍆|moneybag 💰|credit_card 💳|dart 🎯|game_die 🎲|checkered_flag 🏁|triangular_flag_on_post 🚩
information_source ℹ️|new 🆕|ok 🆗|sos 🆘|recycle ♻️|label 🏷️|ladybug 🐞|broom 🧹|fire_engine 🚒|ambulance 🚑|police_car 🚓
`;

/** name -> character. */
export const EMOJI = new Map(
  TABLE.trim()
    .split(/[|\n]/)
    .map((entry) => entry.split(" ")),
);

/** What the reaction picker offers first. */
export const QUICK = [
  "+1",
  "-1",
  "eyes",
  "white_check_mark",
  "x",
  "tada",
  "heart",
  "joy",
  "thinking_face",
  "fire",
  "rocket",
  "pray",
  "warning",
  "bug",
  "bulb",
  "100",
];

const drawable = new Map();
let canvas = null;

function picture(text) {
  canvas ??= Object.assign(document.createElement("canvas"), { width: 24, height: 24 }).getContext("2d", {
    willReadFrequently: true,
  });
  canvas.clearRect(0, 0, 24, 24);
  canvas.font = "16px sans-serif";
  canvas.fillText(text, 1, 18);
  return canvas.getImageData(0, 0, 24, 24).data.join();
}

// A machine without an emoji font draws an empty box; the name reads better than the box.
function canDraw(character) {
  if (!drawable.has(character)) drawable.set(character, picture([...character][0]) !== picture("\u{10FFFD}"));
  return drawable.get(character);
}

/** The emoji as an image for screen readers, or its :name: when it is unknown or this machine cannot draw it. */
export function emojiNode(name, unicode = "") {
  const plain = name.replace(/::skin-tone-\d/, "");
  const character = EMOJI.get(plain) ?? fromUnicode(unicode);
  if (!character || !canDraw(character)) return h("span", { class: "emoji-name" }, `:${name}:`);
  return h("span", { class: "emoji", role: "img", "aria-label": `${plain} emoji`, title: `:${plain}:` }, character);
}

function fromUnicode(codes) {
  if (!/^[0-9a-f]{2,6}(-[0-9a-f]{2,6})*$/i.test(codes)) return null;
  return String.fromCodePoint(...codes.split("-").map((code) => Number.parseInt(code, 16)));
}

/** Plain text with its :emoji: drawn -> nodes. */
export function withEmoji(text) {
  return text.split(/(:[a-z0-9_+'-]+(?:::skin-tone-\d)?:)/).map((part) => {
    const name = part.slice(1, -1);
    return part.length > 2 && part.startsWith(":") && part.endsWith(":") && EMOJI.has(name.replace(/::.*/, ""))
      ? emojiNode(name)
      : part;
  });
}
