import { formatCount } from '../texts/format.ts'

/** Returns the number in a message id, or null for any other id. */
export function messageNumber(id: string): number | null {
  const digits = /^msg_(\d{1,15})$/.exec(id)?.[1]
  return digits === undefined ? null : Number(digits)
}

/** What the window calls a message, by its place in the conversation, from 1 on. */
export const messageText = (number: number): string => `message ${formatCount(number)}`
