// Line drawings of 24 by 24, as paths.

import { svg } from "./dom.js";

const PATHS = {
  talk: "M4 5h16v11H9l-5 4z",
  home: "M3 11l9-7 9 7M5 10v10h14V10M10 20v-6h4v6",
  routines: "M12 3a9 9 0 1 0 9 9M12 7v5l3 2M21 3v5h-5",
  turns: "M4 6h16M4 12h16M4 18h10",
  health: "M3 12h4l2-6 4 12 2-6h6",
  mic: "M12 3a3 3 0 0 0-3 3v5a3 3 0 0 0 6 0V6a3 3 0 0 0-3-3zM5 11a7 7 0 0 0 14 0M12 18v3",
  send: "M12 20V5M6 11l6-6 6 6",
  sound: "M4 10v4h3l5 4V6L7 10zM16 9a4 4 0 0 1 0 6M18.5 6.5a8 8 0 0 1 0 11",
  silent: "M4 10v4h3l5 4V6L7 10zM16 10l5 5M21 10l-5 5",
  undo: "M9 7L4 12l5 5M4 12h10a6 6 0 0 1 6 6",
  trace: "M4 6h8M8 12h8M13 18h7",
  close: "M6 6l12 12M18 6L6 18",
  bin: "M4 7h16M9 7V4h6v3M6 7l1 13h10l1-13M10 11v5M14 11v5",
  plus: "M12 5v14M5 12h14",
  search: "M11 4a7 7 0 1 0 0 14 7 7 0 0 0 0-14zM16 16l4 4",
  ear: "M7 10a5 5 0 1 1 10 0c0 4-4 4-4 7a3 3 0 0 1-5 2M10 10a2 2 0 1 1 4 0",
  brain: "M12 5a3 3 0 0 0-6 1 3 3 0 0 0-2 5 3 3 0 0 0 2 5 3 3 0 0 0 6 2zM12 5a3 3 0 0 1 6 1 3 3 0 0 1 2 5 3 3 0 0 1-2 5 3 3 0 0 1-6 2",
  tool: "M14 7a4 4 0 0 1 5-4l-2 3 2 2 3-2a4 4 0 0 1-6 4l-8 9-3-3z",
  answer: "M5 12l5 5L19 7",
  light: "M9 18h6M10 21h4M12 3a6 6 0 0 0-4 10c1 1 1 2 1 3h6c0-1 0-2 1-3a6 6 0 0 0-4-10z",
  switch: "M7 8h10a4 4 0 0 1 0 8H7a4 4 0 0 1 0-8zM7 10a2 2 0 1 0 0 4 2 2 0 0 0 0-4z",
  outlet: "M5 4h14v16H5zM9.5 9v3M14.5 9v3M12 15v1",
  lock: "M6 11h12v9H6zM8 11V8a4 4 0 0 1 8 0v3",
  thermostat: "M10 4a2 2 0 0 1 4 0v9a4 4 0 1 1-4 0zM12 9v8",
  cover: "M4 4h16M6 4v12h12V4M6 8h12M6 12h12M12 16v4",
  sensor: "M12 12h.01M8 8a6 6 0 0 0 0 8M16 8a6 6 0 0 1 0 8M5 5a10 10 0 0 0 0 14M19 5a10 10 0 0 1 0 14",
  fan: "M12 12c0-5 1-8 3-8s3 4-3 8zM12 12c5 0 8 1 8 3s-4 3-8-3zM12 12c0 5-1 8-3 8s-3-4 3-8zM12 12c-5 0-8-1-8-3s4-3 8 3z",
  siren: "M7 18v-5a5 5 0 0 1 10 0v5M5 20h14M12 4V2M4 7l1 1M20 7l-1 1",
  water: "M12 3c4 5 6 8 6 11a6 6 0 0 1-12 0c0-3 2-6 6-11z",
  scene: "M12 3l2.5 6 6.5.5-5 4 1.700 6.500L12 16.500 6.300 20 8 13.500l-5-4L9.500 9z",
  camera: "M4 8h11v9H4zM15 11l5-3v9l-5-3",
  device: "M6 4h12v16H6zM10 17h4",
};

export function icon(name) {
  return svg(
    "svg",
    { viewBox: "0 0 24 24", class: "icon", "aria-hidden": "true", focusable: "false" },
    svg("path", { d: PATHS[name] ?? PATHS.device }),
  );
}

// The kinds are a server's words: "dimmer", "smart plug", "motion sensor" …
const KINDS = [
  [/lock/, "lock"], [/thermostat|heat|climate|boiler/, "thermostat"],
  [/blind|curtain|shade|shutter|cover|garage|gate|door(?!bell)|window/, "cover"], [/fan/, "fan"],
  [/siren|bell|chime|alarm|smoke/, "siren"], [/leak|water|valve|humid/, "water"],
  [/motion|sensor|button|remote|meter/, "sensor"], [/plug|outlet|socket/, "outlet"],
  [/light|lamp|dimmer|bulb/, "light"], [/switch/, "switch"], [/scene/, "scene"], [/camera/, "camera"],
];

// A switch is what it switches, as far as its name says that.
export function iconOfDevice({ kind, name }) {
  const find = (words) => KINDS.find(([pattern]) => pattern.test(String(words ?? "").toLowerCase()))?.[1];
  const plainly = find(kind);
  return icon((["switch", undefined].includes(plainly) && find(name)) || plainly || "device");
}
