/* Every text of the page whose contrast is below 4.5 to 1: WCAG 2.1, success criterion 1.4.3, with
   relative luminance and contrast ratio as that document defines them. */
(() => {
  const TEXTS = `h1, h2, h3, p, th, td, dt, dd, a, label, b, cite, .tile, .map [role=img] i:not(.n), .types, .version,
    .digest, .who span, .req, .at, .ops td, .sign span, .said, small, .number, .count, button`;
  const pixel = document.createElement("canvas").getContext("2d", { willReadFrequently: true });

  function channels(color) {
    pixel.fillStyle = color;
    pixel.fillRect(0, 0, 1, 1);
    return Array.from(pixel.getImageData(0, 0, 1, 1).data).slice(0, 3);
  }
  function luminance(color) {
    const [red, green, blue] = channels(color).map((value) => {
      const part = value / 255;
      return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  }
  function contrast(one, other) {
    const [light, dark] = [luminance(one), luminance(other)].sort((a, b) => b - a);
    return (light + 0.05) / (dark + 0.05);
  }
  function ground(element) {
    for (let at = element; at; at = at.parentElement) {
      const style = getComputedStyle(at);
      /* The ground of a tile on the map is an image made of the colour --c. */
      if (at.matches(".tile, .map [role=img] i")) return style.getPropertyValue("--c");
      if (style.backgroundColor !== "rgba(0, 0, 0, 0)") return style.backgroundColor;
    }
    return "white";
  }

  const found = new Set();
  for (const element of document.querySelectorAll(TEXTS)) {
    if (!element.textContent.trim() || !element.checkVisibility()) continue;
    const ratio = contrast(getComputedStyle(element).color, ground(element));
    if (ratio < 4.5) found.add(`${element.tagName} ${element.className} ${ratio.toFixed(2)}`);
  }
  return Array.from(found);
})();
