// Keeps the page, so that it opens without a network. One version at a time; the number is made from its bytes.
const NAME = "pare-VERSION", FILES = ["./", "licenses.txt"];

self.addEventListener("install", (e) =>
  e.waitUntil(
    caches
      .open(NAME)
      .then((c) => c.addAll(FILES))
      .then(() => self.skipWaiting())
  )
);
self.addEventListener("activate", (e) => e.waitUntil(caches.keys()
  .then((names) => Promise.all(names.filter((n) => n.startsWith("pare-") && n !== NAME).map((n) => caches.delete(n))))
  .then(() => self.clients.claim())));
self.addEventListener("fetch", (e) => {
  if (e.request.method !== "GET" || new URL(e.request.url).origin !== self.location.origin) return;
  const page = e.request.mode === "navigate" ? "./" : e.request;
  e.respondWith(caches.match(page, { ignoreSearch: true }).then((kept) => kept || fetch(e.request)));
});
