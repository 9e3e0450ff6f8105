/** Hashes a text (FNV-1a, 32 bits) for the keys of caches only. */
export function textHash(text: string): string {
  let hash = 0x811c9dc5
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  return `${text.length}-${(hash >>> 0).toString(36)}`
}
