import type { World } from '#test/doctor/integrity/worlds.ts'

/** Damage somewhere in a generated file, native or of lossless-claw; false where it offers no place for it. */
export type GeneratedFault = {
  /** The id of the rule that finds it. */
  readonly rule: string
  readonly inject: (world: World) => boolean
}

type Node = { readonly id: string; readonly conversation: number }

export const summaries = (world: World, where: string): Node[] =>
  world.rows<Node>(
    `SELECT summary_id AS id, conversation_id AS conversation FROM summaries AS s WHERE ${where} ORDER BY summary_id`,
  )
export const leaves = (world: World): Node[] => summaries(world, `kind = 'leaf'`)
export const nodes = (world: World): Node[] => summaries(world, `kind = 'condensed'`)
export const windowItems = (
  world: World,
  where: string,
): { ordinal: number; conversation: number; message: number; summary: string }[] =>
  world.rows(`SELECT ordinal, conversation_id AS conversation, message_id AS message, summary_id AS summary
    FROM context_items WHERE ${where} ORDER BY conversation_id, ordinal`)
export const messages = (world: World, where = '1'): { id: number; conversation: number; tokens: number }[] =>
  world.rows(
    `SELECT message_id AS id, conversation_id AS conversation, token_count AS tokens FROM messages AS m WHERE ${where} ORDER BY message_id`,
  )

/** A fault that damages one of some rows. */
export const at = <T>(
  rule: string,
  choose: (world: World) => readonly T[],
  damage: (world: World, target: T) => void,
): GeneratedFault => ({
  rule,
  inject: (world) => {
    const choice = choose(world)
    if (choice.length === 0) return false
    damage(world, world.random.pick(choice))
    return true
  },
})

export const inNoWindow = `NOT EXISTS (SELECT 1 FROM context_items AS c WHERE c.summary_id = s.summary_id)`
