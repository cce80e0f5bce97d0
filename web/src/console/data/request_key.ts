/** Makes keys by which the service knows a request that it got before. */

/** Returns a new key. A page that came over plain http makes them too, though it has no `crypto.randomUUID`. */
export function makeRequestKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
