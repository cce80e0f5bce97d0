// Runs in MobileGym's page: tells its state, and waits until the simulator and its apps' data are there.
(() => {
  let unloaded = null;
  const plain = (key, value) => ["function", "symbol"].includes(typeof value) || value instanceof Node || value instanceof Window
    ? undefined : value;
  window.manyhandsState = () => window.__SIM__ && window.__OS__ ? {
    state: JSON.parse(JSON.stringify(window.__SIM__.getState(), plain)),
    route: window.__OS__.getAppRoute(),
    keyboard: window.__OS__.keyboard.isVisible(),
    unloaded,
  } : null;
  window[Symbol.for("mobilegym")] = async (ms) => {
    const end = performance.now() + ms;
    while (!window.__SIM__?.getState || !window.__SIM_FS__ || !window.__OS__?.openApp) {
      if (performance.now() > end) throw new Error("__SIM__, __SIM_FS__ or __OS__ is missing");
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    const late = new Promise((_, reject) => setTimeout(reject, end - performance.now(), "not there in time"));
    unloaded = await Promise.race([window.__SIM__.waitForData(), late]).then(() => null, String);
  };
})();
