// What makes the pages livelier. Everything works without it: this only saves reloads, clicks and reaching for the mouse.

const one = (selector, root = document) => root.querySelector(selector);
const all = (selector, root = document) => [...root.querySelectorAll(selector)];

// Parts that say data-refresh="milliseconds" are fetched again with their page and replaced where they changed.
let waiting = 0;

async function refresh() {
  waiting = 0;
  if (document.hidden || document.activeElement?.closest("[data-refresh] form")) return schedule();
  try {
    const response = await fetch(location.href, { headers: { Accept: "text/html" }, credentials: "same-origin" });
    if (response.redirected) return location.assign(response.url);
    if (response.ok) swap(new DOMParser().parseFromString(await response.text(), "text/html"));
  } catch {
    // The network is away; the next turn tries again.
  }
  schedule();
}

function swap(page) {
  for (const part of all("[data-refresh]")) {
    const fresh = page.getElementById(part.id);
    if (!fresh || fresh.isEqualNode(part)) continue;
    const focused = part.contains(document.activeElement) ? document.activeElement.getAttribute("href") : null;
    const opened = all("details[open] > summary", part).map((summary) => summary.textContent);
    part.replaceWith(document.adoptNode(fresh));
    all("details > summary", fresh).forEach((summary) => { if (opened.includes(summary.textContent)) summary.parentElement.open = true; });
    reveal(fresh);
    if (focused) all("a[href]", fresh).find((link) => link.getAttribute("href") === focused)?.focus({ preventScroll: true });
  }
}

function schedule() {
  const soonest = Math.min(...all("[data-refresh]").map((part) => Number(part.dataset.refresh)));
  if (Number.isFinite(soonest) && !waiting) waiting = setTimeout(refresh, soonest);
}

// Buttons that only work here are hidden in the page until now.
function reveal(root) {
  all("[data-copy], [data-print]", root).forEach((button) => { button.hidden = false; });
}

document.addEventListener("click", async (event) => {
  const button = event.target.closest("[data-copy], [data-print]");
  if (!button) return;
  if ("print" in button.dataset) return print();
  try {
    await navigator.clipboard.writeText(button.dataset.copy);
    say(button, "Copied");
  } catch {
    say(button, "Select and copy it");
  }
});

function say(button, words) {
  const label = one("span", button) ?? button;
  const before = label.textContent;
  label.textContent = words;
  setTimeout(() => { label.textContent = before; }, 1500);
}

// A form that must not be sent twice; coming back with the browser's own button makes it usable again.
document.addEventListener("submit", (event) => {
  if (!event.target.matches("[data-once]")) return;
  if (event.target.dataset.sent) return event.preventDefault();
  event.target.dataset.sent = "yes";
  setTimeout(() => all("button", event.target).forEach((button) => { button.disabled = true; }));
});
addEventListener("pageshow", () => all("[data-once]").forEach((form) => {
  delete form.dataset.sent;
  all("button", form).forEach((button) => { button.disabled = false; });
}));

// Filters apply as soon as they change.
all("form[data-auto]").forEach((form) => form.addEventListener("change", (event) => {
  if (event.target.matches("select")) form.requestSubmit();
}));

// On narrow screens the menu closes with Escape, and elsewhere it is always open.
const menu = one("[data-menu]");
const narrow = matchMedia("(max-width: 820px)");
const settle = () => { if (menu) menu.open = !narrow.matches; };
narrow.addEventListener("change", settle);
settle();

// The palette: Ctrl+K or Command+K, also "?".
const palette = one("[data-palette]");
const places = all(".side nav a[data-key], [data-actions] a").map((link) => ({ words: link.textContent.trim(), href: link.href }));

function open() {
  const search = one("input", palette);
  search.value = "";
  fill("");
  palette.showModal();
  search.focus();
}

function fill(words) {
  const search = one("input", palette).dataset.search;
  const found = places.filter((place) => place.words.toLowerCase().includes(words.toLowerCase()));
  const last = words ? [{ words: `Find “${words}”`, href: search + encodeURIComponent(words) }] : [];
  list([...found, ...last]);
  clearTimeout(asking);
  if (words) asking = setTimeout(() => look(words, found, last), 150);
}

// Codes, goods and ids are asked for once typing rests; an answer that comes late is left.
let asking = 0;
async function look(words, found, last) {
  const search = one("input", palette);
  const answer = await fetch(search.dataset.find + encodeURIComponent(words)).catch(() => null);
  const more = answer?.ok ? await answer.json() : [];
  if (more.length && palette.open && search.value.trim() === words) list([...found, ...more, ...last]);
}

function list(found) {
  one("ul", palette).replaceChildren(...found.map((place, number) => {
    const item = document.createElement("li");
    const link = document.createElement("a");
    link.href = place.href;
    link.textContent = place.words;
    if (number === 0) link.setAttribute("aria-selected", "true");
    item.append(link);
    return item;
  }));
}

if (palette) {
  one("input", palette).addEventListener("input", (event) => fill(event.target.value.trim()));
  palette.addEventListener("click", (event) => { if (event.target === palette) palette.close(); });
  palette.addEventListener("keydown", (event) => {
    const links = all("li a", palette);
    const now = links.findIndex((link) => link.getAttribute("aria-selected") === "true");
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step && links.length) {
      event.preventDefault();
      links[now]?.removeAttribute("aria-selected");
      const chosen = links[(now + step + links.length) % links.length];
      chosen.setAttribute("aria-selected", "true");
      chosen.scrollIntoView({ block: "nearest" });
    } else if (event.key === "Enter") {
      event.preventDefault();
      links[now]?.click();
    } else if (event.key === "Escape") {
      event.preventDefault(); // a search field would take the first Escape to empty itself
      palette.close();
    }
  });
}

// What says data-press="key" is pressed by that key; the review page shows where its list stands.
one(".review-list [aria-current=page]")?.scrollIntoView({ block: "nearest" });

// Keys: "/" searches, "g" and a letter goes, "j" and "k" move in lists.
let going = 0;
document.addEventListener("keydown", (event) => {
  if (palette && (event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "k") {
    event.preventDefault();
    return palette.open ? palette.close() : open();
  }
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, select, textarea, dialog")) return;
  if (going) {
    going = clearTimeout(going) ?? 0;
    const link = one(`.side nav a[data-key="${CSS.escape(event.key)}"]`);
    if (link) return link.click();
  }
  const pressed = one(`[data-press="${CSS.escape(event.key.length === 1 ? event.key.toLowerCase() : event.key)}"]`);
  if (pressed || (event.key.toLowerCase() === "c" && one(".review-decision"))) {
    event.preventDefault();
    return pressed ? pressed.click() : one(".review-decision [name=code]").focus();
  }
  const act = { "/": () => one("[data-slash]")?.focus(), "?": open, g: () => { going = setTimeout(() => { going = 0; }, 1200); }, j: () => move(1), k: () => move(-1) }[event.key];
  if (act && (palette || event.key !== "?")) {
    if (event.key !== "g") event.preventDefault();
    act();
  }
});

function move(step) {
  const links = all("[data-row] .row-link");
  const now = links.indexOf(document.activeElement);
  links[Math.max(0, Math.min(links.length - 1, now + step))]?.focus();
}

reveal(document);
schedule();
document.addEventListener("visibilitychange", () => { if (!document.hidden) schedule(); });
