"use strict";
(() => {
  const frames = [...document.querySelectorAll(".stage > div")];
  const slider = document.getElementById("moment");
  const caption = document.getElementById("caption");
  const play = document.getElementById("play");
  let timer = 0;
  const show = (number) => {
    frames.forEach((frame, index) => {
      frame.classList.toggle("now", index === number);
      frame.setAttribute("aria-hidden", String(index !== number));
    });
    slider.value = String(number);
    const words = `${number + 1} of ${frames.length}: ${frames[number].dataset.caption}`;
    slider.setAttribute("aria-valuetext", words);
    caption.textContent = words;
  };
  const stop = () => { clearInterval(timer); timer = 0; play.textContent = "Play"; };
  const step = (by) => show(Math.min(frames.length - 1, Math.max(0, Number(slider.value) + by)));
  slider.addEventListener("input", () => { stop(); show(Number(slider.value)); });
  document.getElementById("back").addEventListener("click", () => { stop(); step(-1); });
  document.getElementById("on").addEventListener("click", () => { stop(); step(1); });
  play.addEventListener("click", () => {
    if (timer) { stop(); return; }
    if (Number(slider.value) === frames.length - 1) show(0);
    play.textContent = "Pause";
    timer = setInterval(() => {
      step(1);
      if (Number(slider.value) === frames.length - 1) stop();
    }, 700);
  });
  const all = document.getElementById("open-all");
  all.addEventListener("click", () => {
    const open = all.textContent === "Open all";
    document.querySelectorAll(".handoffs details").forEach((each) => { each.open = open; });
    all.textContent = open ? "Close all" : "Open all";
  });
  document.querySelectorAll(".controls").forEach((each) => { each.hidden = false; });
  show(frames.length - 1);
})();
