// Elements, made without HTML: whatever others wrote (names, transcripts, results) can only become text.

const SVG = "http://www.w3.org/2000/svg";
// eslint-disable-next-line no-control-regex
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f]/g;
const UNSEEN = /[\u0080-\u009f\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g;

// Control characters are shown as their pictures (␛), and those that turn or hide text are left out.
export function plain(value) {
  return String(value ?? "")
    .replace(CONTROLS, (one) => (one === "\u007f" ? "␡" : String.fromCharCode(0x2400 + one.charCodeAt(0))))
    .replace(UNSEEN, "");
}

// h("button", {class: "x", onclick: f, "aria-label": name}, "text", otherElement, null)
export function h(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [key, value] of Object.entries(properties)) set(element, key, value);
  element.append(...children.flat().filter((child) => child != null && child !== false).map(node));
  return element;
}

export function set(element, key, value) {
  if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
  else if (value === true) element.setAttribute(key, "");
  else if (value === false || value == null) element.removeAttribute(key);
  else element.setAttribute(key, plain(value));
}

function node(child) {
  return child instanceof Node ? child : document.createTextNode(plain(child));
}

export function write(element, text) {
  const wanted = plain(text);
  if (element.textContent !== wanted) element.textContent = wanted;
}

export function replace(element, ...children) {
  element.replaceChildren(...children.flat().filter((child) => child != null && child !== false).map(node));
}

// Brings the children of a list in line with what they are made of, and leaves alone those that stay: an open
// fold stays open, and the keyboard stays where it is.
export function keep(list, items, keyOf, make, update) {
  const known = new Map([...list.children].map((child) => [child.dataset.key, child]));
  const wanted = items.map((item) => {
    const key = String(keyOf(item));
    let child = known.get(key);
    if (!child) {
      child = make(item);
      child.dataset.key = key;
    }
    known.delete(key);
    update(child, item);
    return child;
  });
  for (const gone of known.values()) gone.remove();
  wanted.forEach((child, index) => {
    if (list.children[index] !== child) list.insertBefore(child, list.children[index] ?? null);
  });
}

export function svg(tag, attributes, ...children) {
  const element = document.createElementNS(SVG, tag);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

export function announce(text) {
  write(document.getElementById("announce"), text);
}
