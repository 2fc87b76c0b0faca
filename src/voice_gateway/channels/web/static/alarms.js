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
  // Each is shown once: what is also a notice as that, and the page with the conversation has its notices there.
  live.on("event", (event) => event.text && !event.urgent && !event.noticed && toast(event.text));
  live.on("notice", ({ text, alarm }) => !alarm && document.body.dataset.page !== "talk" && toast(text));
}

async function acknowledge() {
  try {
    toast((await ask(HEARD)).text);
  } catch (error) {
    toast(error.message, { bad: true });
  }
}
