import type { FamilyFaults } from './family.ts'
import { OUTPUT, WITH_FILE } from './lossless.ts'

/** For the rules of `core/doctor/rules/file-contents.ts`. */
export const fileContentFaults: FamilyFaults = {
  lossless: [
    {
      name: 'file of which nothing tells what is in it',
      rule: 'exploration_missing',
      at: OUTPUT,
      damage: `UPDATE large_files SET exploration_summary = NULL WHERE file_name = 'bash.txt'`,
    },
    {
      name: 'file with another number of lines',
      rule: 'file_lines',
      at: OUTPUT,
      damage: `UPDATE large_files SET line_count = 3 WHERE file_name = 'bash.txt'`,
    },
    {
      name: 'summaries that forgot their files',
      rule: 'file_reference_lost',
      at: WITH_FILE,
      damage: `UPDATE summaries SET file_ids = '[]'`,
    },
  ],
}
