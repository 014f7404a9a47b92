// Counts the answers of a form, keeps them in the browser, and saves them as CSV.

const form = document.querySelector("form");
const groups = [...form.querySelectorAll("fieldset[data-id]")];
const annotator = document.getElementById("annotator");
const missing = document.getElementById("missing");
const done = document.getElementById("done");
const dialog = document.querySelector("dialog");
const place = `answers ${form.dataset.form}`;
const columns = form.dataset.columns.split(" ");
let unsaved = false;

function radiosOf(group) {
  return [...group.querySelectorAll("input[type=radio]")];
}

function chosen(group) {
  return radiosOf(group).find((radio) => radio.checked);
}

// ----------------------------------------------------------------- what is kept

/** Whether the browser keeps the answers: some do not, or not for files. */
function keep() {
  const answers = groups.filter(chosen).map((group) => [chosen(group).name, chosen(group).value]);
  try {
    localStorage.setItem(place, JSON.stringify({ annotator: annotator.value, answers }));
    return true;
  } catch {
    return false;
  }
}

function restore() {
  try {
    const kept = JSON.parse(localStorage.getItem(place)) ?? { annotator: "", answers: [] };
    const answers = new Map(kept.answers);
    annotator.value = String(kept.annotator ?? "");
    for (const radio of groups.flatMap(radiosOf)) radio.checked = answers.get(radio.name) === radio.value;
  } catch {
    // Nothing that can be read was kept.
  }
}

// ----------------------------------------------------------------- what is shown

function count() {
  const n = groups.filter(chosen).length;
  document.querySelector("progress").value = n;
  done.textContent = `${n} of ${groups.length} ${form.dataset.noun}`;
}

function changed() {
  unsaved = true;
  count();
  document.getElementById("unkept").hidden = keep();
}

function goTo(group) {
  if (!group) return document.getElementById("save").focus();
  (chosen(group) ?? radiosOf(group)[0]).focus({ preventScroll: true });
  group.closest("form > ol > li").scrollIntoView({ block: "nearest" });
}

function firstOpen() {
  return groups.find((group) => !chosen(group));
}

// ----------------------------------------------------------------------- saving

function cell(text) {
  const safe = /^'*[=+\-@\t\r]/.test(text) ? `'${text}` : text; // spreadsheets would run a formula
  return /[",;\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

function csv() {
  const answers = new Map(groups.map((group) => [`${group.dataset.id} ${group.dataset.column}`, chosen(group)]));
  const ids = [...new Set(groups.map((group) => group.dataset.id))];
  const rows = ids.map((id) => [annotator.value.trim(), id,
    ...columns.map((column) => answers.get(`${id} ${column}`)?.value ?? "")]);
  return [["annotator", "id", ...columns], ...rows].map((row) => `${row.map(cell).join(",")}\r\n`).join("");
}

function save() {
  const name = annotator.value.trim();
  missing.textContent = name ? "" : "Please type your name first.";
  if (!name) return annotator.focus();
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob(["\ufeff", csv()], { type: "text/csv" }));
  link.download = `${form.dataset.file}-${name.replace(/[^\p{L}\p{M}\p{N}]+/gu, "_")}.csv`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
  unsaved = false;
  const open = groups.length - groups.filter(chosen).length;
  done.textContent = open ? `Saved; ${open} of ${groups.length} still open` : "Saved: all done, thank you";
}

function startAgain() {
  dialog.close();
  for (const radio of groups.flatMap(radiosOf)) radio.checked = false;
  annotator.value = "";
  changed();
  unsaved = false;
  annotator.focus();
}

// ------------------------------------------------------------------------- keys

function press(event) {
  const typing = event.target.matches("input[type=text]");
  if (typing || dialog.open || event.ctrlKey || event.metaKey || event.altKey) return;
  const group = event.target.closest("fieldset[data-id]") ?? (event.target === document.body && firstOpen());
  if (!group) return;
  const radio = radiosOf(group).find((each) => each.dataset.key === event.key.toLowerCase());
  if (radio) {
    radio.checked = true;
    goTo(groups[groups.indexOf(group) + 1]);
  } else if (event.key === "Delete" || event.key === "Backspace") {
    for (const each of radiosOf(group)) each.checked = false;
  } else {
    return;
  }
  event.preventDefault();
  changed();
}

document.addEventListener("keydown", press);
form.addEventListener("change", changed);
annotator.addEventListener("input", () => {
  missing.textContent = "";
  changed();
});
form.addEventListener("submit", (event) => {
  event.preventDefault();
  goTo(firstOpen());
});
document.getElementById("save").addEventListener("click", save);
document.getElementById("again").addEventListener("click", () => dialog.showModal());
document.getElementById("keep").addEventListener("click", () => dialog.close());
document.getElementById("delete").addEventListener("click", startAgain);
addEventListener("beforeunload", (event) => {
  if (unsaved && !keep()) event.preventDefault();
});
restore();
count();
