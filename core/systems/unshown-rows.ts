import type { Source } from './system.ts'

/**
 * Sentences about rows of the file's own tables that are not shown, since what they would be shown by is missing, no
 * such thing, or stands twice. A sound file has none.
 * @param shown SQL that counts what is shown of a table's rows, by the table's name
 */
export function unshownRows({ db, probe }: Source, shown: Readonly<Record<string, string>>): string[] {
  return Object.entries(shown).flatMap(([table, sql]) => {
    if (!probe.has(table)) return [`The table ${table} is gone, and with it all that stood in it.`]
    const rows = db.value<number>(/* sql */ `SELECT count(*) FROM main.${table}`) ?? 0
    const left = rows - (db.value<number>(sql) ?? 0)
    if (left <= 0) return []
    return [
      `Damaged: ${left} of the ${rows} rows of ${table} are not shown; their ids are missing, of no use, or repeated.`,
    ]
  })
}
