"use strict";
/* Filters of the causes. What is chosen stands in the address, so that it can be sent to somebody. */
(() => {
  const form = document.querySelector("#filters");
  if (!form) return;
  const rows = Array.from(document.querySelectorAll("[data-operator]"));
  const fields = Array.from(form.elements).filter((field) => field.name);
  const count = document.querySelector("#filter-count");
  const given = new URLSearchParams(location.search);
  for (const field of fields) if (given.has(field.name)) field.value = given.get(field.name);

  // A page of one runtime says a cause's verdict and count in words alone, as it has many causes.
  const verdictOf = (row) => row.dataset.verdict ?? row.querySelector(".what b").textContent;
  const countOf = (row) => Number(row.dataset.count ?? row.querySelector(".count").firstChild.data.replaceAll(",", ""));

  function fits(row, field) {
    const wanted = field.value.trim().toLowerCase();
    if (!wanted) return true;
    if (field.name === "text") return wanted.split(/\s+/).every((word) => row.textContent.toLowerCase().includes(word));
    const value = (field.name === "verdict" ? verdictOf(row) : row.dataset[field.name]).toLowerCase();
    if (field.name === "runtime") return value.split("\n").includes(wanted);
    return field.tagName === "SELECT" ? value === wanted : value.includes(wanted);
  }
  function apply() {
    let shown = 0, vectors = 0;
    for (const row of rows) {
      row.hidden = !fields.every((field) => fits(row, field));
      if (!row.hidden) { shown += 1; vectors += countOf(row); }
    }
    count.textContent = `${shown.toLocaleString("en")} of ${rows.length.toLocaleString("en")} causes, ${vectors.toLocaleString("en")} failing vectors`;
    const query = new URLSearchParams(fields.filter((field) => field.value.trim()).map((field) => [field.name, field.value.trim()])).toString();
    history.replaceState(null, "", location.pathname + (query ? `?${query}` : "") + location.hash);
  }
  form.addEventListener("input", apply);
  form.addEventListener("submit", (event) => { event.preventDefault(); apply(); });
  document.querySelectorAll(".scripted").forEach((element) => { element.hidden = false; });
  apply();
  document.documentElement.dataset.ready = "yes";
})();
