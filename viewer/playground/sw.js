// Keeps the playground for when there is no network: the files of one build, under its number. A new
// build is fetched whole, and shown from the next visit on.
const VERSION = "__VERSION__";
const FILES = __FILES__;

addEventListener("install", (event) => {
  event.waitUntil(caches.open(VERSION).then((cache) => cache.addAll(FILES)));
});

addEventListener("activate", (event) => {
  const old = async () => {
    for (const name of await caches.keys()) if (name.startsWith("taut-") && name !== VERSION) await caches.delete(name);
  };
  event.waitUntil(old());
});

addEventListener("fetch", (event) => {
  if (event.request.method !== "GET") return;
  const kept = async () => (await (await caches.open(VERSION)).match(event.request, { ignoreSearch: true })) ?? fetch(event.request);
  event.respondWith(kept());
});
