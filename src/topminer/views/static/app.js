// The frame of the page, and which view a link leads to.

const VIEWS = [
  [/^$/, () => overviewPage()],
  [/^topic\/([^/]*)$/, ([id], query, route) => topicPage({ id }, route)],
  [/^phrase\/(.+)$/, ([text], query, route) => phrasePage({ text }, route)],
  [/^documents$/, (_, query, route) => documentsPage({ topic: query.get("topic"), q: query.get("q") }, route)],
  [/^document\/([^/]*)$/, ([row], query, route) => documentPage({ row }, route)],
  [/^background$/, () => backgroundPage()],
  [/^trends$/, () => trendsPage()],
  [/^search$/, (_, query, route) => searchPage({ q: query.get("q") }, route)],
  [/^try$/, (_, query, route) => tryPage({}, route)],
  [/^run$/, () => runPage()],
];

const NAV = [
  ["#/", "Topics", /^(topic\/.*)?$/],
  data.has_texts && ["#/documents", "Documents", /^documents?(\/|$)/],
  ["#/background", "Background", /^background$/],
  data.periods && ["#/trends", "Trends", /^trends$/],
  live && ["#/try", "Try a text", /^try$/],
  ["#/run", "About this run", /^run$/],
].filter(Boolean);

/** The parts of the address and its query; a broken escape leads nowhere. */
function address() {
  const [path, ...rest] = location.hash.replace(/^#\/?/, "").split("?");
  return { path, query: new URLSearchParams(rest.join("?")) };
}

function decoded(parts) {
  try {
    return parts.map(decodeURIComponent);
  } catch {
    return null;
  }
}

function viewOf({ path, query }, route) {
  for (const [pattern, view] of VIEWS) {
    const match = pattern.exec(path);
    const parts = match && decoded(match.slice(1));
    if (parts) return view(parts, query, route);
  }
  return missing("This address leads nowhere.");
}

function links() {
  return h("nav", { "aria-label": "Main" }, NAV.map(([href, text]) => h("a", { href }, text)));
}

function tellWhere(nav, path) {
  NAV.forEach(([, , pattern], i) => {
    const link = nav.children[i];
    if (pattern.test(path)) link.setAttribute("aria-current", path === link.hash.slice(2) ? "page" : "true");
    else link.removeAttribute("aria-current");
  });
}

const places = new Map(); // how far each view was scrolled

function start() {
  const main = h("main", { id: "main", tabindex: -1 });
  const nav = links();
  const box = searchBox();
  let current = null;
  let followed = false;

  const show = (first) => {
    current?.abort();
    current = new AbortController();
    hideTooltip();
    const where = address();
    const route = { signal: current.signal, again: () => show(false) };
    const { title, node } = viewOf(where, route);
    main.replaceChildren(...[node].flat(Infinity).filter(Boolean));
    document.title = shown(title ? `${title} – ${data.title}` : data.title);
    tellWhere(nav, where.path);
    if (first) return;
    (main.querySelector("h1") ?? main).focus({ preventScroll: true });
    scrollTo(0, followed ? 0 : (places.get(location.hash) ?? 0));
    followed = false;
  };

  document.body.prepend(
    h("button", { type: "button", class: "skip", onclick: () => main.focus() }, "Skip to the content"),
    h("header", { class: "head" }, h("a", { class: "home", href: "#/" }, bdi(data.title)), nav, box, themeButton()),
    main,
    h("footer", null, `topminer ${data.version}`),
    h("div", { id: "news", class: "unseen", "aria-live": "polite" }), tooltip);

  addEventListener("hashchange", () => show(false));
  addEventListener("scroll", eachFrame(() => places.set(location.hash, scrollY)), { passive: true });
  document.addEventListener("click", (event) => { followed ||= Boolean(event.target.closest?.("a")); }, true);
  document.addEventListener("keydown", (event) => {
    const typing = event.target.closest?.("input:not([type=range], [type=radio], [type=checkbox]), textarea, select");
    if (event.key !== "/" || typing || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    box.querySelector("input").focus();
  });
  history.scrollRestoration = "manual";
  show(true);
}

start();
