// The merge tree of the explained text.

const data = JSON.parse(document.getElementById("data").textContent);
const drawn = tree(data, data);
if (drawn) document.getElementById("tree").replaceWith(drawn.node);
document.body.append(tooltip);
