import type { FamilyFaults } from './family.ts'
import { at, windowItems } from './generated.ts'

/** For the rules of `core/doctor/rules/tool-pairs.ts`. */
export const toolPairFaults: FamilyFaults = {
  generated: [
    at(
      'tool_pair_split',
      (world) => windowItems(world, `message_id IN (SELECT message_id FROM messages WHERE role = 'tool')`),
      (world, { message }) =>
        world.damage(`UPDATE message_parts SET tool_call_id = 'call_nowhere' WHERE message_id = :message`, { message }),
    ),
  ],
}
