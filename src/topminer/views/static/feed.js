// What the explorer is asked for: loading, waiting for its index, failing and trying again.

const RETRY = 500;

class Failure extends Error {}

async function ask(path, options) {
  let answer;
  try {
    answer = await fetch(path, options);
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Failure("The explorer does not answer. Is it still running?");
  }
  const told = await answer.json().catch(() => null);
  if (!answer.ok) throw new Failure(reasonOf(answer.status, told));
  return told;
}

function reasonOf(status, told) {
  if (typeof told?.detail === "string") return told.detail;
  return status === 404 ? "There is no such thing here." : `The explorer could not do this (status ${status}).`;
}

function send(method, path, body, signal) {
  const headers = { "content-type": "application/json" };
  return ask(path, { method, headers, body: JSON.stringify(body), signal });
}

/** Fill a place with what a question gives; say so while it lasts, and offer another try if it fails. */
async function fill(place, question, show, signal) {
  place.setAttribute("aria-busy", "true");
  if (!place.hasChildNodes()) place.replaceChildren(h("p", { class: "faint wait" }, "Loading…"));
  try {
    const told = await question(signal);
    if (signal?.aborted) return;
    if (told?.building) {
      place.replaceChildren(building(told.building));
      setTimeout(() => signal?.aborted || fill(place, question, show, signal), RETRY);
      return;
    }
    place.replaceChildren(...[show(told)].flat());
  } catch (error) {
    if (signal?.aborted) return;
    if (!(error instanceof Failure)) console.error(error);
    place.replaceChildren(failed(error, () => {
      place.replaceChildren();
      fill(place, question, show, signal);
    }));
  }
  place.removeAttribute("aria-busy");
}

function failed(error, again) {
  const why = error instanceof Failure ? error.message : "Something went wrong.";
  return h("div", { class: "message", role: "alert" },
    h("p", null, why), h("button", { type: "button", onclick: again }, "Try again"));
}

function building({ done, total }) {
  return h("div", { class: "message", role: "status" },
    h("label", null, `Reading the documents once: ${count(done)} of ${count(total)} `,
      h("progress", { max: total, value: done })));
}

/** A list that asks for more of itself: `page(offset)` gives { total, items }. */
function paged(page, show, signal) {
  const list = h("div", { class: "paged" });
  const more = h("div");
  const next = (offset) => fill(more, () => page(offset, signal), (told) => {
    if (told.building) return [];
    const news = told.items.map(show);
    list.append(...news);
    if (offset > 0) news[0]?.querySelector("a")?.focus();
    const behind = offset + told.items.length;
    if (offset === 0) announce(`${count(told.total)} found`);
    if (told.total === 0) return h("p", { class: "faint" }, "Nothing found.");
    const left = told.total - behind;
    return [
      h("p", { class: "faint" }, `${count(behind)} of ${count(told.total)} shown`),
      left > 0 && told.items.length ? moreButton(() => next(behind)) : "",
    ];
  }, signal);
  next(0);
  return h("div", null, list, more);
}

/** A button that works once: what it asks for takes its place. */
function moreButton(onclick) {
  const button = h("button", { type: "button" }, "Show more");
  button.addEventListener("click", () => {
    button.disabled = true;
    onclick();
  });
  return button;
}
