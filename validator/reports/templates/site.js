"use strict";
/* Of the first page and those of runtimes: filters of the causes, and the map of operators. What is
   chosen is in the address, so that it can be sent to somebody. */
(() => {
  const all = (selector, root = document) => Array.from(root.querySelectorAll(selector));

  /* ---- filters ---- */

  function setUpFilters(form) {
    const rows = all("[data-operator]");
    const fields = Array.from(form.elements).filter((field) => field.name);
    const count = document.querySelector("#filter-count"), further = document.querySelector("#further");
    const given = new URLSearchParams(location.search);
    // Pages of operators write a single verdict as =wrong-value, beside groups such as fail.
    for (const field of fields) if (given.has(field.name)) field.value = given.get(field.name).replace(/^=/, "");

    function fits(row, field) {
      const wanted = field.value.trim().toLowerCase();
      if (!wanted) return true;
      if (field.name === "text") return wanted.split(/\s+/).every((word) => row.textContent.toLowerCase().includes(word));
      const value = row.dataset[field.name].toLowerCase();
      if (field.name === "runtime") return value.split("\n").includes(wanted);
      return field.tagName === "SELECT" ? value === wanted : value.includes(wanted);
    }
    function apply() {
      let shown = 0, vectors = 0;
      const chosen = fields.filter((field) => field.value.trim());
      for (const row of rows) {
        row.hidden = !chosen.every((field) => fits(row, field));
        if (!row.hidden) { shown += 1; vectors += Number(row.dataset.count); }
      }
      // What was asked for is shown, wherever it is.
      if (further && chosen.length) further.open = true;
      count.textContent = `${shown.toLocaleString("en")} of ${rows.length.toLocaleString("en")} causes, ${vectors.toLocaleString("en")} failing models`;
      const query = new URLSearchParams(chosen.map((field) => [field.name, field.value.trim()])).toString();
      history.replaceState(null, "", location.pathname + (query ? `?${query}` : "") + location.hash);
    }
    form.addEventListener("input", apply);
    form.addEventListener("reset", () => setTimeout(apply));
    form.addEventListener("submit", (event) => { event.preventDefault(); apply(); });
    apply();
  }
  /* Filters go along to the next page, which has the same ones. */
  function takeFiltersAlong(event) {
    const link = event.target.closest("a[href]");
    if (!link || !location.search || link.origin !== location.origin || !link.pathname.endsWith(".html") || link.pathname === location.pathname) return;
    if (!link.search) link.search = location.search;
  }

  /* ---- the map of operators ---- */

  function setUpMap(map, readout) {
    const names = all("#runtimes tbody .name").map((name) => name.textContent);
    const rows = all("tbody tr", map);
    const cellsOf = (row) => Array.from(row.cells).slice(1);
    const operatorOf = (cell) => cell.parentElement.querySelector("a");
    const placeOf = (cell) => cell.cellIndex - 1;

    function tell(cell) {
      const counts = cell.title || "not run", name = document.createElement("b");
      name.textContent = operatorOf(cell).textContent;
      readout.replaceChildren(name, ` on ${names[placeOf(cell)]}: ${counts}`);
    }
    function addressOf(cell) {
      const worst = (/^[\d,]+ (\w+)/.exec(cell.title) || ["", ""])[1];
      const search = new URLSearchParams(location.search);
      for (const name of ["operator", "verdict"]) search.delete(name);
      if (names.length > 1) search.set("runtime", names[placeOf(cell)]);
      const calm = ["pass", "accepted", ""].includes(worst);
      if (!calm) search.set("verdict", ["fail", "crashed", "unjudged"].includes(worst) ? "failing" : worst);
      return `${operatorOf(cell).getAttribute("href")}?${search}${calm ? "" : "#vectors"}`;
    }
    function go(cell, elsewhere) {
      if (elsewhere) window.open(addressOf(cell), "_blank", "noopener"); else location.href = addressOf(cell);
    }
    function move(cell) {
      all("td[tabindex='0']", map).forEach((other) => other.setAttribute("tabindex", "-1"));
      cell.setAttribute("tabindex", "0");
      cell.focus();
      tell(cell);
    }
    const cellAt = (row, place) => { const cells = cellsOf(rows[Math.max(0, Math.min(rows.length - 1, row))]); return cells[Math.max(0, Math.min(cells.length - 1, place))]; };
    map.addEventListener("mouseover", (event) => { const cell = event.target.closest("td"); if (cell) tell(cell); });
    map.addEventListener("focusin", (event) => { const cell = event.target.closest("td"); if (cell) tell(cell); });
    map.addEventListener("click", (event) => {
      const cell = event.target.closest("td");
      if (cell?.className) go(cell, event.ctrlKey || event.metaKey);
    });
    map.addEventListener("keydown", (event) => {
      const cell = event.target.closest("td");
      if (!cell || event.altKey || event.metaKey) return;
      const row = rows.indexOf(cell.parentElement), place = placeOf(cell);
      const steps = {
        ArrowUp: () => move(cellAt(row - 1, place)), ArrowDown: () => move(cellAt(row + 1, place)),
        ArrowLeft: () => move(cellAt(row, place - 1)), ArrowRight: () => move(cellAt(row, place + 1)),
        PageUp: () => move(cellAt(row - 15, place)), PageDown: () => move(cellAt(row + 15, place)),
        Home: () => move(cellAt(event.ctrlKey ? 0 : row, 0)), End: () => move(cellAt(event.ctrlKey ? rows.length - 1 : row, names.length - 1)),
        Enter: () => cell.className && go(cell, event.ctrlKey),
      };
      if (!steps[event.key]) return;
      event.preventDefault();
      steps[event.key]();
    });
    all("tbody td", map).forEach((cell, number) => cell.setAttribute("tabindex", number ? "-1" : "0"));
  }

  const form = document.querySelector("#filters"), map = document.querySelector(".families");
  if (form) setUpFilters(form);
  if (map) setUpMap(map, document.querySelector("#at"));
  document.addEventListener("click", takeFiltersAlong);
  all(".scripted").forEach((element) => { element.hidden = false; });
  document.documentElement.classList.add("live");
  document.documentElement.dataset.ready = "yes";
})();
