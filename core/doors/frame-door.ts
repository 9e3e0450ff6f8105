import type { MessagePort } from 'node:worker_threads'
import { RPCHandler } from '@orpc/server/bun-ws'
import { z } from 'zod'
import { parsedJson } from '../parsed-json.ts'
import type { Router } from '../router.ts'
import { MAX_FRAME_BYTES, type Refusal } from './core-host.ts'

const Id = z.string().min(1).max(64)
/** All frames that our own client sends: a call of a procedure, or the end of one. */
const Frame = z.union([
  z.strictObject({
    i: Id,
    p: z.strictObject({
      u: z.string().regex(/^(\/[\w-]{1,64}){1,8}$/),
      m: z.literal('POST').optional(),
      b: z.unknown().optional(),
    }),
  }),
  z.strictObject({ i: Id, t: z.literal(4), p: z.null().optional() }),
])

/**
 * Says why a frame cannot be a call, or returns null when it can. The library of the transport does not check frames,
 * and fails in a promise that nobody awaits, which ends the thread with all its windows. So every frame is checked
 * before.
 */
function frameProblem(frame: unknown): Refusal | null {
  if (typeof frame !== 'string') return refusal(1003, 'only text frames are answered')
  if (frame.length > MAX_FRAME_BYTES) return refusal(1009, `a frame has at most ${MAX_FRAME_BYTES} characters`)
  const isCall = Frame.safeParse(parsedJson(frame)).success
  return isCall ? null : refusal(1007, 'this frame is no call')
}

/** Answers calls over ports. A frame that is no call closes the connection of its sender only. */
export function frameDoor(router: Router): (client: MessagePort) => void {
  const handler = new RPCHandler(router)
  return (client) => {
    const peer = {
      send: (frame: string | ArrayBufferLike | Uint8Array) => {
        client.postMessage(frame)
        return 0
      },
    }
    let isOpen = true
    const refuse = (problem: Refusal): void => {
      if (!isOpen) return
      isOpen = false
      client.postMessage(problem)
      client.close()
    }
    client.on('message', (frame: unknown) => {
      if (!isOpen) return
      const problem = frameProblem(frame)
      if (problem) return refuse(problem)
      handler.message(peer, String(frame)).catch((error: unknown) => {
        // The client has left meanwhile.
        if (!isOpen) return
        console.error(error)
        refuse(refusal(1011, 'a call failed in the core'))
      })
    })
    client.on('close', () => {
      isOpen = false
      handler.close(peer)
    })
  }
}

const refusal = (code: Refusal['code'], reason: string): Refusal => ({ kind: 'refused', code, reason })
