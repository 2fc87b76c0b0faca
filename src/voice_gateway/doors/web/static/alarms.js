// Smoke, water and the like: above every page until somebody has heard it; other events of the home pass by below.

import { ask } from "./conversation.js";
import { h, replace } from "./dom.js";
import { toast } from "./dialogs.js";
import * as live from "./live.js";
import { when } from "./words.js";

const HEARD = "I heard it";

export function watchAlarms(banner) {
  live.on("alarms", ({ alarms }) => {
    const unheard = alarms.some((alarm) => !alarm.acknowledged);
    banner.hidden = !alarms.length;
    banner.dataset.state = unheard ? "unheard" : "heard";
    replace(banner,
      h("ul", {}, alarms.map((alarm) => h("li", {}, h("strong", {}, alarm.text), h("span", {}, [alarm.since ? when(alarm.since) : "", alarm.over ? "over" : ""].filter(Boolean).join(" · "))))),
      unheard ? h("button", { type: "button", onclick: acknowledge }, HEARD) : null);
  });
  live.on("event", (event) => event.text && !event.urgent && toast(event.text));
}

async function acknowledge() {
  try {
    toast((await ask(HEARD)).text);
  } catch (error) {
    toast(error.message, { bad: true });
  }
}
