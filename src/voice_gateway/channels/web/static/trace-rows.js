// The story of a turn as rows of a waterfall, made of its events alone. Times are seconds since 1970.

import { aboutOutcome, count, duration, inline, markOf, pretty, sentenceCase } from "./words.js";

const DECISIONS = { allowed: "allowed", ask: "asks first", refused: "refused" };
const DOORS = { web: "typed in the console", cli: "typed in a terminal", mcp: "another program, by MCP", mqtt: "by MQTT" };

export function rowsOf(events) {
  const rows = new Map();
  for (const event of events) READ[event.type]?.(rows, event);
  const all = [...rows.values()].sort((one, other) => one.start - other.start || one.order - other.order);
  return all;
}

function row(rows, key, facts) {
  if (!rows.has(key)) rows.set(key, { key, order: rows.size, details: [] });
  return Object.assign(rows.get(key), facts);
}

const READ = {
  heard(rows, event) {
    const spoken = (event.transcript_seconds ?? 0) + (event.endpoint_seconds ?? 0);
    if (event.endpoint_seconds) {
      row(rows, "endpoint", {
        kind: "hear", icon: "ear", label: "End of speech", note: "silence, until it is clear that no more comes",
        start: event.at - spoken, end: event.at - (event.transcript_seconds ?? 0),
        details: [["Speech", duration(event.audio_seconds)]],
      });
    }
    row(rows, "heard", {
      kind: "hear", icon: event.heard_by ? "mic" : "talk", label: event.heard_by ? "Transcript" : "Heard",
      note: event.heard_by ? `by ${event.heard_by}` : DOORS[event.door] ?? `by ${event.door}`,
      start: event.at - (event.transcript_seconds ?? 0), end: event.at,
      details: facts([["Words", event.text], ["Door", event.door], ["Room", event.room], ["Conversation", event.conversation_id], ["In answer to", event.in_answer_to]]),
    });
  },

  staged(rows, event) {
    row(rows, `stage ${event.stage} ${event.at}`, {
      kind: "brain", icon: "brain", label: sentenceCase(event.stage === "local" ? "without a model" : event.stage),
      note: [event.taken ? "took it" : "passed", event.reason].filter(Boolean).join(": "), faint: !event.taken,
      start: event.at - event.seconds, end: event.at,
      details: facts([[event.taken ? "Understood" : "Why it passed", event.reason], ["The words are", event.words], ["Trust", event.trust]]),
    });
  },

  round(rows, event) {
    const tokens = event.input_tokens == null ? "" : `${event.input_tokens} → ${event.output_tokens ?? 0} tokens`;
    row(rows, `round ${event.number}`, {
      kind: "model", icon: "brain", label: `Model, round ${event.number}`, note: [event.model, tokens].filter(Boolean).join(" · "),
      start: event.at - event.seconds, end: event.at, state: event.error ? "bad" : "",
      details: facts([
        ["Model", event.model], ["First token", duration(event.first_token_seconds)], ["Tokens", tokens],
        ["Wants", (event.calls ?? []).map((call) => `${call.tool}(${inline(call.args)})`).join("\n")], ["Says", event.text], ["Error", event.error],
      ]),
    });
  },

  judged(rows, event) {
    const known = rows.get(event.call_id);
    const decision = DECISIONS[event.decision] ?? event.decision;
    const why = event.decision === "allowed" ? "" : event.reason;
    row(rows, event.call_id, {
      kind: "call", icon: "tool", label: sentenceCase(event.tool), note: [inline(event.args), why].filter(Boolean).join(": "), permission: decision, why,
      start: known?.start ?? event.at, end: known?.end ?? event.at,
      state: event.decision === "allowed" ? known?.state ?? "" : event.decision === "ask" ? "open" : "bad",
      details: facts([["Arguments", pretty(event.args)], ["Permission", [decision, event.reason].filter(Boolean).join(": ")]]),
    });
  },

  started(rows, event) {
    const known = rows.get(event.call_id);
    row(rows, event.call_id, {
      kind: "call", icon: "tool", label: event.title || event.tool, note: inline(event.args), readOnly: event.read_only,
      start: event.at, end: null, state: "running",
      details: [...facts([["Tool", event.tool], ["Server", event.source]]), ...(known?.details ?? facts([["Arguments", pretty(event.args)]]))],
    });
  },

  acted(rows, event) {
    const known = rows.get(event.call_id);
    const mark = markOf({ ...event, read_only: known?.readOnly });
    row(rows, event.call_id, {
      kind: "call", icon: "tool", label: known?.label ?? event.tool, note: known?.why ? known.note : aboutOutcome(event), mark,
      start: known?.start ?? event.at - event.seconds, end: event.at, state: mark?.state ?? (event.outcome === "waiting" ? "open" : event.ok ? "ok" : "bad"),
      details: [
        ...(known?.details ?? facts([["Tool", event.tool], ["Arguments", pretty(event.args)]])),
        ...facts([["Outcome", event.outcome?.replaceAll("_", " ")], [event.ok ? "Result" : "Error", event.text], ["Data", event.structured ? pretty(event.structured) : ""], ["Took", duration(event.seconds)]]),
      ],
    });
  },

  waiting(rows, event) {
    const running = [...rows.values()].findLast((one) => one.state === "running");
    if (running) running.note = event.text;
  },

  progress(rows, event) {
    const running = [...rows.values()].findLast((one) => one.state === "running");
    if (running && event.text) running.note = event.text;
  },

  said(rows, event) {
    const known = rows.get("answer");
    row(rows, "answer", { kind: "answer", icon: "answer", label: "Answer", start: known?.start ?? event.at, end: event.at, note: (known?.note ?? "") + event.text });
  },

  answered(rows, event) {
    const known = rows.get("answer");
    row(rows, "answer", {
      kind: "answer", icon: "answer", label: "Answer", note: event.text, start: known?.start ?? event.at, end: event.at, order: 1e6,
      details: facts([["Words", event.text], ["By", [event.stage, event.model].filter(Boolean).join(" · ")], ["Understood", event.understood], ["Trust", event.trust], ["Took", duration(event.seconds)], ["Waits for an answer", event.expects_answer ? "yes" : ""]]),
    });
  },
};

function facts(pairs) {
  return pairs.filter(([, value]) => value != null && value !== "" && value !== "{}");
}

export function summary(events, rows, seconds) {
  const answered = events.some((event) => event.type === "answered");
  const calls = rows.filter((one) => one.kind === "call").length;
  const rounds = rows.filter((one) => one.kind === "model").length;
  const parts = [answered ? duration(seconds) : "under way …", count(calls, "call")];
  if (rounds) parts.push(count(rounds, "model round"));
  return parts.join(" · ");
}
