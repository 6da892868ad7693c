"use strict";
/* The way from a tile to its vectors. Everything from results files is set as text, never as markup. */
(() => {
  const one = (selector, root = document) => root.querySelector(selector);
  const all = (selector, root = document) => Array.from(root.querySelectorAll(selector));
  const ALPHABET = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
  const FAILING = ["crashed", "fail", "unjudged"];
  const SEVERITY = ["crashed", "fail", "unjudged", "inconclusive", "unsupported", "accepted", "latitude", "pass"];
  const SHOWN = 200; /* lines of a list at first */
  const MANY = 6; /* backends from which on a list shows tiles alone */
  const dialog = one("#dialog"), body = one(".dialog", dialog), table = one("#maptable");
  const mapbox = table.closest(".mapbox"), readout = one("#readout"), map = one("#map");
  let index = null;

  /* An element: attributes as an object, children as elements or text. */
  function make(name, attributes = {}, ...children) {
    const element = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    element.append(...children.filter((child) => child !== null && child !== undefined));
    return element;
  }

  async function unpack(id) {
    const text = atob(document.getElementById(id).textContent.trim());
    const bytes = new Uint8Array(text.length);
    for (let at = 0; at < text.length; at += 1) bytes[at] = text.charCodeAt(at);
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    return JSON.parse(await new Response(stream).text());
  }

  const chunks = new Map();
  function chunk(version) {
    const number = [...new Set(index.operators)].indexOf(index.operators[version]);
    if (!chunks.has(number)) chunks.set(number, unpack(`chunk-${number}`));
    return chunks.get(number);
  }

  /* ---- what the index knows ---- */

  const codeOf = (backend, vector) => {
    const character = index.verdicts[backend][vector];
    return character === " " ? null : index.codes[ALPHABET.indexOf(character)];
  };
  function vectorsOf(version, type) {
    const [from, to] = index.ranges[version];
    const found = [];
    for (let at = from; at < to; at += 1) if (type === null || index.typeOf[at] === type) found.push(at);
    return found;
  }
  function countsOf(backend, vectors) {
    const counts = new Map();
    for (const vector of vectors) {
      const code = codeOf(backend, vector);
      if (code) counts.set(code.group, (counts.get(code.group) || 0) + 1);
    }
    return counts;
  }
  const inWords = (counts) => {
    const total = Array.from(counts.values()).reduce((sum, number) => sum + number, 0);
    if (!total) return "no vectors";
    const parts = SEVERITY.filter((group) => counts.has(group)).map((group) => `${counts.get(group)} ${group}`);
    return `${parts.join(", ")} of ${total}`;
  };
  const worstOf = (vector) => {
    let worst = SEVERITY.length;
    for (let backend = 0; backend < index.backends.length; backend += 1) {
      const code = codeOf(backend, vector);
      if (code) worst = Math.min(worst, SEVERITY.indexOf(code.group));
    }
    return worst;
  };
  function tile(group) {
    const { glyph, letter } = index.groups[group];
    return make("span", { class: `tile ${letter}`, "aria-hidden": "true" }, glyph);
  }

  /* ---- the map ---- */

  const cursor = make("div", { class: "cursor", hidden: "" });
  let at = { row: 0, column: 0, tile: 0 };
  const rows = () => all("tbody tr", table).filter((row) => !row.hidden);
  const strip = (cell) => one("[role=img]", cell);
  const columns = () => index.backends.map((_, backend) => backend).filter((backend) => !hiddenColumns.has(backend));
  const hiddenColumns = new Set();

  function place(row, column, number) {
    const cell = row.cells[column + 1], tiles = strip(cell);
    if (!tiles) { cursor.hidden = true; return; }
    const box = mapbox.getBoundingClientRect(), inner = tiles.getBoundingClientRect();
    const width = inner.width / index.types.length;
    cursor.style.left = `${inner.left - box.left + mapbox.scrollLeft - mapbox.clientLeft + number * width - 2}px`;
    cursor.style.top = `${inner.top - box.top + mapbox.scrollTop - mapbox.clientTop - 2}px`;
    cursor.style.width = `${width + 3}px`;
    cursor.style.height = `${inner.height + 4}px`;
    cursor.hidden = false;
  }
  function tell(row, column, number) {
    const version = Number(row.dataset.version);
    const counts = countsOf(column, vectorsOf(version, number));
    readout.replaceChildren(
      make("b", {}, `${index.versions[version]} · ${index.types[number]}`),
      index.backends.length > 1 ? ` · ${index.backends[column]}: ` : ": ",
      inWords(counts),
    );
  }
  function tileAt(event) {
    const cell = event.target.closest("td");
    if (!cell || !strip(cell)) return null;
    const inner = strip(cell).getBoundingClientRect();
    const number = Math.floor((event.clientX - inner.left) / (inner.width / index.types.length));
    if (number < 0 || number >= index.types.length) return null;
    return { row: cell.parentElement, column: cell.cellIndex - 1, tile: number };
  }
  function move(row, column, number) {
    const list = rows();
    const next = list[Math.max(0, Math.min(list.length - 1, row))];
    if (!next) return;
    const cell = next.cells[column + 1];
    all("[tabindex='0']", table).forEach((other) => other.setAttribute("tabindex", "-1"));
    cell.setAttribute("tabindex", "0");
    at = { row: list.indexOf(next), column, tile: number };
    cell.focus({ preventScroll: true });
    place(next, column, number);
    (cursor.hidden ? cell : cursor).scrollIntoView({ block: "nearest", inline: "nearest" });
    tell(next, column, number);
  }
  function onKey(event) {
    const { row, column, tile: number } = at, last = index.types.length - 1, shown = columns();
    const place_ = shown.indexOf(column);
    const steps = {
      ArrowUp: () => move(row - 1, column, number),
      ArrowDown: () => move(row + 1, column, number),
      ArrowLeft: () => (number > 0 && !event.ctrlKey ? move(row, column, number - 1) : place_ > 0 && move(row, shown[place_ - 1], event.ctrlKey ? number : last)),
      ArrowRight: () => (number < last && !event.ctrlKey ? move(row, column, number + 1) : place_ < shown.length - 1 && move(row, shown[place_ + 1], event.ctrlKey ? number : 0)),
      PageUp: () => move(row - 15, column, number),
      PageDown: () => move(row + 15, column, number),
      Home: () => move(event.ctrlKey ? 0 : row, shown[0], 0),
      End: () => move(event.ctrlKey ? rows().length - 1 : row, shown[shown.length - 1], last),
      Enter: () => openTile(rows()[row], number),
      " ": () => openTile(rows()[row], number),
    };
    const step = steps[event.key];
    if (!step || event.altKey || event.metaKey) return;
    event.preventDefault();
    step();
  }
  function openTile(row, number) {
    location.hash = `tile/${index.versions[Number(row.dataset.version)]}/${index.types[number]}`;
  }
  function setUpMap() {
    mapbox.append(cursor);
    mapbox.removeAttribute("tabindex");
    table.setAttribute("role", "grid");
    all("tbody tr", table).forEach((row, version) => { row.dataset.version = version; });
    table.addEventListener("click", (event) => {
      const found = tileAt(event);
      if (found) { move(rows().indexOf(found.row), found.column, found.tile); openTile(found.row, found.tile); }
    });
    table.addEventListener("mousemove", (event) => {
      const found = tileAt(event);
      if (found) { place(found.row, found.column, found.tile); tell(found.row, found.column, found.tile); }
    });
    table.addEventListener("mouseleave", () => { cursor.hidden = document.activeElement.closest?.("#maptable") === null; });
    table.addEventListener("keydown", onKey);
    table.addEventListener("focusin", (event) => {
      const cell = event.target.closest("td");
      if (!cell) return;
      const row = rows().indexOf(cell.parentElement);
      if (row !== at.row || cell.cellIndex - 1 !== at.column) at = { row, column: cell.cellIndex - 1, tile: at.tile };
      place(cell.parentElement, at.column, at.tile);
      tell(cell.parentElement, at.column, at.tile);
    });
    all("td:has([role=img])", table).forEach((cell) => cell.setAttribute("tabindex", "-1"));
    one("td:has([role=img])", table)?.setAttribute("tabindex", "0");
    one("#only-open").addEventListener("change", (event) => {
      const calm = (row) => !one("[role=img] i:not(.P):not(.n):not(.L):not(.l):not(.A):not(.a)", row);
      all("tbody tr", table).forEach((row) => { row.hidden = event.target.checked && calm(row); });
      cursor.hidden = true;
    });
    setUpColumns();
  }
  function setUpColumns() {
    const choice = one("#column-choice");
    if (!choice) return;
    const style = make("style");
    document.head.append(style);
    const apply = () => {
      style.textContent = Array.from(hiddenColumns, (backend) => `#maptable tr > :nth-child(${backend + 2}){display:none}`).join("");
      cursor.hidden = true;
    };
    index.backends.forEach((name, backend) => {
      const box = make("input", { type: "checkbox", checked: "" });
      box.addEventListener("change", () => { if (box.checked) hiddenColumns.delete(backend); else hiddenColumns.add(backend); apply(); });
      choice.append(make("label", {}, box, ` ${name}`));
    });
  }

  /* ---- lists of vectors ---- */

  function listOf(vectors, limit, short) {
    const several = index.backends.length > 1, many = index.backends.length > MANY;
    const head = make("tr", {}, make("th", { scope: "col" }, "vector"));
    index.backends.forEach((name) => head.append(make("th", { scope: "col" }, make("span", {}, several ? name : "verdict"))));
    const lines = vectors.slice(0, limit).map((vector) => {
      const id = index.ids[vector];
      const open = make("button", { type: "button" }, short ? id.split("/").slice(1).join("/") : id);
      open.addEventListener("click", () => { location.hash = `vector/${id}`; });
      const line = make("tr", {}, make("td", {}, open));
      index.backends.forEach((_, backend) => {
        const code = codeOf(backend, vector);
        const words = !code ? "not planned" : code.group === "latitude" ? "latitude" : code.verdict;
        const said = many ? make("span", { class: "sr" }, words) : make("span", {}, ` ${words}`);
        line.append(make("td", { title: many ? `${index.backends[backend]}: ${words}` : "", class: code ? "" : "zero" }, code ? tile(code.group) : "", said));
      });
      return line;
    });
    return make("div", { class: "scroll" }, make("table", { class: many ? "list many" : "list" }, make("thead", {}, head), make("tbody", {}, ...lines)));
  }
  function putList(target, vectors, limit, short) {
    target.replaceChildren(listOf(vectors, limit, short));
    if (vectors.length > limit) {
      const more = make("button", { type: "button", class: "more" }, `show ${Math.min(SHOWN * 5, vectors.length - limit)} more of ${vectors.length - limit}`);
      more.addEventListener("click", () => putList(target, vectors, limit + SHOWN * 5, short));
      target.append(more);
    }
  }

  /* ---- the dialog ---- */

  function head(title, mono, ...buttons) {
    const close = make("button", { type: "button" }, "Close");
    close.addEventListener("click", () => dialog.close());
    return make("div", { class: "head" }, make("h2", { id: "dialog-title", tabindex: "-1", ...(mono ? { class: "id" } : {}) }, title), make("div", { class: "buttons" }, ...buttons, close));
  }
  const go = (label, hash, title) => {
    const button = make("button", { type: "button", title }, label);
    button.addEventListener("click", () => { location.hash = hash; });
    return button;
  };
  function show(...children) {
    body.replaceChildren(...children);
    if (!dialog.open) dialog.showModal();
    dialog.scrollTop = 0;
    one("#dialog-title").focus({ preventScroll: true });
  }
  function showTile(version, type) {
    const vectors = vectorsOf(version, type).sort((a, b) => worstOf(a) - worstOf(b) || a - b);
    const name = index.versions[version] + (type === null ? "" : ` · ${index.types[type]}`);
    const counts = make("ul", { class: "tallies" });
    index.backends.forEach((backend, number) => counts.append(make("li", {}, make("b", {}, backend), ` ${inWords(countsOf(number, vectors))}`)));
    const list = make("div");
    const buttons = type === null ? [] : [go(`all of ${index.versions[version]}`, `tile/${index.versions[version]}`, "every element type")];
    show(head(name, false, ...buttons), counts, list);
    putList(list, vectors, SHOWN, true);
  }

  /* A long value shows its beginning, until somebody asks for all of it. */
  const LONG = 900, LINES = 14;
  function folded(pre) {
    if (pre.textContent.length <= LONG && pre.textContent.split("\n").length <= LINES) return pre;
    const button = make("button", { type: "button", class: "copy", "aria-expanded": "false" }, `show all of ${pre.textContent.length.toLocaleString("en")} characters`);
    pre.classList.add("folded");
    button.addEventListener("click", () => {
      const open = !pre.classList.toggle("folded");
      button.setAttribute("aria-expanded", String(open));
      button.textContent = open ? "show less" : `show all of ${pre.textContent.length.toLocaleString("en")} characters`;
    });
    return make("div", {}, pre, button);
  }
  const block = (title, text) => (text ? [make("h3", {}, title), folded(make("pre", { tabindex: "0" }, text))] : []);
  const link = (text, url) => (/^https?:\/\//.test(url || "") ? make("a", { href: url, rel: "noreferrer" }, text) : text);
  function requirement(operator, id) {
    // Results files name an operator without its domain, requirements with it.
    const same = (name) => `.${name}`.toLowerCase().endsWith(`.${operator}`.toLowerCase());
    const known = index.requirements[operator] || index.requirements[Object.keys(index.requirements).find(same)] || {};
    const words = known[id] || { text: "", source: "", url: "" };
    return make("p", { class: "requirement" }, make("b", {}, id), ` ${words.text || "(the results file has no words for it)"} `,
      words.source ? make("cite", {}, link(words.source, words.url)) : null);
  }
  function facts(pairs) {
    const list = make("dl", { class: "facts" });
    for (const [name, value] of pairs) {
      if (value) list.append(make("dt", {}, name), make("dd", {}, value instanceof Node ? (value.tagName === "PRE" ? folded(value) : value) : folded(make("pre", { tabindex: "0" }, value))));
    }
    return list;
  }
  function copyable(text) {
    const pre = make("pre", { class: "command", tabindex: "0" }, text), button = make("button", { type: "button", class: "copy" }, "copy");
    button.addEventListener("click", async () => {
      getSelection().selectAllChildren(pre);
      try { await navigator.clipboard.writeText(text); button.textContent = "copied"; } catch { button.textContent = "selected"; }
    });
    return make("div", { class: "withcopy" }, pre, button);
  }
  const download = (text, path) => (path ? make("a", { href: path, download: "" }, text) : null);
  // Facts that the message and the difference say already.
  const SAID = new Set(["index", "differing", "elements", "permitted", "ulps_outside"]);
  // The elements that differ, marked, where they can be told: where as many are written differently
  // as the judge counted. Otherwise some lie within their limits, and only the first is known.
  function compared(got, expected, said) {
    const lines = String(got || "").split("\n"), wanted = String(expected || "").split("\n");
    const parts = (line) => { const at = line.indexOf(" = "); return at < 0 ? [line, []] : [line.slice(0, at), line.slice(at + 3).split(", ")]; };
    const typed = (head) => (/\S+ \[[^\]]*\]$/.exec(head) || [""])[0];  // without the name
    let count = 0;
    const found = lines.map((line, number) => {
      const [head, elements] = parts(line), [wantedHead, others] = parts(wanted[number] || "");
      const alike = typed(head) === typed(wantedHead) && elements.length === others.length;
      const differing = elements.map((element, place) => alike && element !== others[place]);
      count += differing.filter(Boolean).length;
      return { line, head, elements, differing };
    });
    if (!got || !count || count !== Number(said.differing)) return got;
    const pre = make("pre", { tabindex: "0" });
    found.forEach(({ line, head, elements, differing }, number) => {
      if (number) pre.append("\n");
      if (!differing.includes(true)) { pre.append(line); return; }
      pre.append(`${head} = `);
      elements.forEach((element, place) => pre.append(place ? ", " : "", differing[place] ? make("mark", {}, element) : element));
    });
    return pre;
  }
  function verdict(backend, vector, cell, details) {
    const said = cell.facts || {}, files = details.files;
    const others = Object.entries(said).filter(([name]) => !(cell.difference && SAID.has(name)));
    const code = codeOf(backend, vector), id = index.ids[vector];
    const name = code.group === "latitude" ? `latitude: took ${cell.taken || "a permitted result"}` : code.verdict;
    const mark = cell.mark;
    return make("div", { class: "verdict" },
      make("h4", {}, tile(code.group), ` ${index.backends[backend]} `, make("span", {}, `${name}${cell.phase ? `${code.verdict === "pass" ? ", rejected" : ""} at ${cell.phase}` : ""}`)),
      cell.message ? make("p", { class: "message" }, cell.message) : null,
      mark ? make("p", { class: "mark" }, `${mark.outcome} by the baseline${mark.where ? ` (${mark.where})` : ""}: `, link(mark.reason || "", mark.link)) : null,
      facts([
        ["got", compared(cell.got, details.expected, said)],
        ["difference", (cell.message || "").includes(cell.difference) ? "" : cell.difference],
        ...others.map(([name, value]) => [name.replaceAll("_", " "), value]), ["stderr", cell.stderr],
        ["run it", copyable(index.commands[backend].replace("%ID%", () => id))],
        ["show it", ["fail", "crashed"].includes(code.group) ? download("script with the runtime's own API", files?.scripts[backend]) || copyable(index.repros[backend].replace("%ID%", () => id)) : null],
      ]));
  }
  async function showVector(vector) {
    const id = index.ids[vector], version = index.versionOf[vector], type = index.typeOf[vector];
    const { answers, vectors } = await chunk(version);
    const details = vectors[id] || { cells: {} };
    const answer = (backend) => answers[details.cells[backend]] || {};
    const siblings = vectorsOf(version, type), here = siblings.indexOf(vector);
    const step = (label, to, title) => (siblings[to] === undefined ? null : go(label, `vector/${index.ids[siblings[to]]}`, title));
    const planned = index.backends.map((_, backend) => backend).filter((backend) => codeOf(backend, vector));
    const plain = (backend) => codeOf(backend, vector).group === "pass" && !answer(backend).mark && !answer(backend).got && !answer(backend).phase;
    const passed = planned.filter(plain), others = planned.filter((backend) => !plain(backend));
    const said = [["", "valid model"], ["invalid", "invalid model"], ["latitude", "the document leaves the result open"]];
    const about = [
      (said.find(([kind]) => kind === (details.kind || "")) || ["", ""])[1],
      details.opset ? `opset ${details.opset}` : "", details.types, details.case ? `case ${details.case}` : "",
      details.form ? `form ${details.form}` : "", details.documented ? `documented as ${details.documented}` : "",
    ].filter(Boolean).join(" · ");
    const left = make("div", {}, make("h3", {}, "What the document requires"),
      ...(details.covers || []).map((item) => requirement(index.operators[version], item)),
      details.covers ? null : make("p", { class: "how" }, "No requirement is recorded for it."),
      details.purpose ? make("p", { class: "how" }, details.purpose) : null,
      details.witnesses ? make("p", { class: "how" }, details.witnesses) : null,
      ...block("Inputs", (details.inputs || []).join("\n")), ...block("Expected", details.expected), ...block("Model", details.model),
      details.files ? make("p", { class: "how" }, download("model.onnx", details.files.model), " · ", download("model, inputs and expected outputs (zip)", details.files.vector)) : null);
    if (details.control) {
      const control = make("a", { href: `#vector/${details.control}`, class: "vector" }, details.control);
      left.append(make("p", { class: "how" }, "Rejecting it counts only where its valid control passes: ", control));
    }
    if (!details.model) left.append(make("p", { class: "how" }, "Its model is in the vectors folder; results files keep those of vectors that do not pass."));
    const right = make("div", {}, make("h3", {}, "What came"),
      ...others.map((backend) => verdict(backend, vector, answer(backend), details)));
    if (passed.length) {
      right.append(make("div", { class: "passed" }, tile("pass"), ` pass: ${passed.map((backend) => index.backends[backend]).join(", ")}`));
      if (!others.length) right.append(facts([["run it", copyable(index.commands[passed[0]].replace("%ID%", () => id))]]));
    }
    show(head(id, true, step("‹ previous", here - 1, "previous vector of this tile"), step("next ›", here + 1, "next vector of this tile"),
      go("list", `tile/${index.versions[version]}/${index.types[type]}`, "all vectors of this tile")),
    make("p", { class: "how" }, about, index.documents[version] ? " · " : null, index.documents[version] ? link(`document of ${index.versions[version]}`, index.documents[version]) : null), make("div", { class: "two" }, left, right));
  }

  /* An address from elsewhere: of another corpus, of an operator with a page of its own, or mistyped. */
  function showUnknown(sought) {
    const [start] = sought.split("/"), alike = index.ids.findIndex((id) => id.split("/")[0] === start.toLowerCase());
    const version = index.versions[index.versionOf[alike]];
    const text = version ? `The results on this page have vectors of ${version}, and none of this name: another corpus may have it.`
      : `The results on this page are of ${index.versions.length > 20 ? `${index.versions.length} operator versions, and not of this one` : index.versions.join(", ")}.`;
    show(head("not on this page", false, ...(version ? [go(`all of ${version}`, `tile/${version}`, "every element type")] : [])),
      make("p", { class: "id" }, sought), make("p", { class: "how" }, text));
  }

  /* The axis of the map that the address asks for; it stays while the address is a vector's. */
  function turn() {
    const axes = all(".axis", map).map((axis) => axis.id.replace("map-by-", ""));
    if (!axes.length) return;
    const [, asked] = /^#map-by-(\w+)$/.exec(location.hash) || [];
    const axis = axes.includes(asked) ? asked : map.dataset.axis || (location.hash.startsWith("#tile/") ? "type" : axes[0]);
    map.dataset.axis = axis;
    all(".axes a", map).forEach((link) => {
      if (link.hash === `#map-by-${axis}`) link.setAttribute("aria-current", "true"); else link.removeAttribute("aria-current");
    });
    cursor.hidden = true;
  }
  async function follow() {
    turn();
    const [, kind, rest] = /^#(tile|vector)\/(.*)$/.exec(decodeURIComponent(location.hash)) || [];
    if (kind === "vector") {
      const vector = index.ids.indexOf(rest);
      if (vector >= 0) { await showVector(vector); return; }
    } else if (kind === "tile") {
      const [name, type] = rest.split("/"), version = index.versions.indexOf(name);
      const number = type === undefined ? null : index.types.indexOf(type);
      if (version >= 0 && number !== -1) { showTile(version, number); return; }
    }
    if (kind) { showUnknown(rest); return; }
    if (dialog.open) dialog.close();
  }

  /* ---- search ---- */

  function setUpSearch() {
    const text = one("#search-text"), verdictChoice = one("#search-verdict"), backendChoice = one("#search-backend"), requirementChoice = one("#search-requirement"), formChoice = one("#search-form");
    const options = [["", "any"], ["failing", "failing (crashed, fail, unjudged)"], ...index.shown.map((group) => [group, group])];
    options.push(...index.codes.filter((code) => code.group !== code.verdict && code.group !== "latitude" && index.used.has(code.verdict)).map((code) => [`=${code.verdict}`, `  ${code.verdict}`]));
    options.forEach(([value, label]) => verdictChoice.append(make("option", { value }, label)));
    if (backendChoice) {
      backendChoice.append(make("option", { value: "" }, "any backend"));
      index.backends.forEach((name, backend) => backendChoice.append(make("option", { value: backend }, name)));
    }
    /* A choice among names; without any it is not shown. */
    const fill = (choice, names, any) => {
      choice.append(make("option", { value: "" }, any), ...names.map((name, number) => make("option", { value: number }, name)));
      choice.parentElement.hidden = !names.length;
    };
    fill(requirementChoice, index.covered, "any requirement");
    fill(formChoice, index.forms, "any form");
    const wanted = (choice, code) => choice === "" || (choice === "failing" ? FAILING.includes(code.group) : choice.startsWith("=") ? code.verdict === choice.slice(1) : code.group === choice);
    const search = () => {
      const words = text.value.toLowerCase().split(/\s+/).filter(Boolean), choice = verdictChoice.value;
      const backends = backendChoice && backendChoice.value !== "" ? [Number(backendChoice.value)] : index.backends.map((_, backend) => backend);
      const found = [];
      index.ids.forEach((id, vector) => {
        const lower = id.toLowerCase();
        if (!words.every((word) => lower.includes(word))) return;
        if (requirementChoice.value && !index.coversOf[vector].includes(Number(requirementChoice.value))) return;
        if (formChoice.value && index.formOf[vector] !== Number(formChoice.value)) return;
        if (backends.some((backend) => { const code = codeOf(backend, vector); return code && wanted(choice, code); })) found.push(vector);
      });
      one("#search-count").textContent = `${found.length.toLocaleString("en")} of ${index.ids.length.toLocaleString("en")} vectors`;
      putList(one("#search-results"), found, Math.min(SHOWN, 50), false);
    };
    /* What is looked for is in the address, so that it can be sent to somebody. */
    const given = new URLSearchParams(location.search);
    text.value = given.get("text") || "";
    // The first page and those of runtimes have single verdicts by their name alone.
    const asked = options.find(([value]) => given.has("verdict") && [given.get("verdict"), `=${given.get("verdict")}`].includes(value));
    if (asked) verdictChoice.value = asked[0];
    if (backendChoice && index.backends.includes(given.get("runtime"))) backendChoice.value = index.backends.indexOf(given.get("runtime"));
    const named = [["requirement", requirementChoice, index.covered], ["form", formChoice, index.forms]];
    // There, part of a name is enough.
    for (const [name, choice, names] of named) {
      const wanted = given.get(name) || "", alike = names.filter((item) => item.includes(wanted));
      if (names.includes(wanted)) choice.value = names.indexOf(wanted); else if (wanted && alike.length === 1) choice.value = names.indexOf(alike[0]);
    }
    const changed = () => {
      const chosen = [["text", text.value.trim()], ["verdict", verdictChoice.value], ["runtime", backendChoice?.value ? index.backends[backendChoice.value] : ""],
        ...named.map(([name, choice, names]) => [name, choice.value && names[choice.value]])];
      const query = new URLSearchParams(chosen.filter(([, value]) => value)).toString();
      history.replaceState(null, "", location.pathname + (query ? `?${query}` : "") + location.hash);
      search();
    };
    let waiting = 0;
    text.addEventListener("input", () => { clearTimeout(waiting); waiting = setTimeout(changed, 120); });
    verdictChoice.addEventListener("change", changed);
    for (const choice of [backendChoice, requirementChoice, formChoice]) choice?.addEventListener("change", changed);
    one("#search").addEventListener("reset", () => setTimeout(changed));
    one("#search").addEventListener("submit", (event) => { event.preventDefault(); changed(); });
    search();
  }

  /* ---- start ---- */

  async function start() {
    if (!("DecompressionStream" in window)) return;
    index = await unpack("index");
    index.ranges = index.versions.map(() => [Infinity, 0]);
    index.versionOf.forEach((version, vector) => {
      const range = index.ranges[version];
      range[0] = Math.min(range[0], vector);
      range[1] = Math.max(range[1], vector + 1);
    });
    const used = new Set(index.verdicts.flatMap((text) => Array.from(new Set(text))));
    index.used = new Set(Array.from(used).filter((character) => character !== " ").map((character) => index.codes[ALPHABET.indexOf(character)].verdict));
    setUpMap();
    setUpSearch();
    all(".scripted").forEach((element) => { element.hidden = false; });
    document.documentElement.classList.add("live");
    dialog.addEventListener("close", () => {
      if (/^#(tile|vector)\//.test(location.hash)) history.replaceState(null, "", location.pathname + location.search + (map.dataset.axis ? `#map-by-${map.dataset.axis}` : ""));
      const cell = one("[tabindex='0']", table);
      if (cell && document.activeElement === document.body) cell.focus({ preventScroll: true });
    });
    dialog.addEventListener("click", (event) => { if (event.target === dialog) dialog.close(); });
    window.addEventListener("hashchange", follow);
    await follow();
    // What was hidden when the browser followed the address is not where it scrolled to.
    document.getElementById(location.hash.slice(1))?.scrollIntoView();
    document.documentElement.dataset.ready = "yes";
  }
  start().catch((error) => {
    const note = make("p", { class: "gap", role: "alert" }, `The details of single vectors cannot be shown: ${error.message}`);
    one("main").prepend(note);
  });
})();
