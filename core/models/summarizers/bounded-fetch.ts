/** No answer with a summary, or with the vectors of one request, is larger. A server that sends more would fill the memory before the time is up. */
const LARGEST_ANSWER_BYTES = 8 * 1024 * 1024

/** Thrown when an answer is larger than any that was asked for. */
export class AnswerTooLarge extends Error {
  override readonly name = 'AnswerTooLarge'
}

/** Thrown when a server redirects the call, and the key with it, to another address. */
export class RedirectRefused extends Error {
  override readonly name = 'RedirectRefused'
}

/** Fetches without following redirects, and reads no more than such an answer can take. */
export const boundedFetch: typeof fetch = async (input, init) => {
  const response = await fetch(input, { ...init, redirect: 'manual' })
  if (response.status >= 300 && response.status < 400) {
    await response.body?.cancel()
    throw new RedirectRefused(`redirected with status ${response.status}`)
  }
  if (!response.body) return response
  let bytes = 0
  const counted = response.body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform: (chunk, stream) => {
        bytes += chunk.byteLength
        if (bytes > LARGEST_ANSWER_BYTES) stream.error(new AnswerTooLarge(`more than ${LARGEST_ANSWER_BYTES} bytes`))
        else stream.enqueue(chunk)
      },
    }),
  )
  const { status, statusText, headers } = response
  return new Response(counted, { status, statusText, headers })
}
