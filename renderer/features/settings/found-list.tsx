import { useQuery } from '@tanstack/react-query'
import type { FoundSettings, SettingsReport } from '#core/contract/settings.ts'
import { api } from '#renderer/api.ts'
import { toErrorInfo } from '#renderer/error-text.ts'
import { Button } from '#renderer/ui/controls/button.tsx'
import { classNames } from '#renderer/ui/controls/class-names.ts'
import { SectionHeading } from '#renderer/ui/controls/section-heading.tsx'
import figureStyles from '#renderer/ui/styles/figure-table.module.css'
import { PathText } from '#renderer/ui/texts/path-text.tsx'
import { patchOf, rowsOf } from './found-values.ts'
import sectionStyles from './section.module.css'
import { useSaveSettings } from './use-save-settings.ts'

/** The settings of other systems on this machine, to be taken over. Nothing is shown where there are none. */
export function FoundList({ report }: { readonly report: SettingsReport }) {
  const found = useQuery(api.machine.discoverSettings.queryOptions())
  if (found.error)
    return (
      <section className={sectionStyles.section}>
        <SectionHeading>Other systems on this machine</SectionHeading>
        <p className={sectionStyles.problem}>{toErrorInfo(found.error).message}</p>
      </section>
    )
  if (!found.data || found.data.length === 0) return null
  return (
    <section className={sectionStyles.section}>
      <SectionHeading>Other systems on this machine</SectionHeading>
      <p className={sectionStyles.text}>
        What they are set to, where this program has the same value. Their files are read and never changed; a value
        holds here only when you take it over, which writes it to your own settings file.
      </p>
      {found.data.map((one) => (
        <FoundFile key={one.path} found={one} report={report} />
      ))}
    </section>
  )
}

function FoundFile({ found, report }: { readonly found: FoundSettings; readonly report: SettingsReport }) {
  const save = useSaveSettings()
  const { label, path, problem } = found
  const rows = rowsOf(found, report)
  const patch = patchOf(found, report)
  return (
    <article className={classNames(sectionStyles.entry, sectionStyles.file)} aria-label={`${label}: ${path}`}>
      <div className={classNames(sectionStyles.entryHead, sectionStyles.head)}>
        <strong>{label}</strong>
        <PathText path={path} />
        {rows.length > 0 && (
          <Button disabled={patch === null || save.isPending} onClick={() => patch && save.mutate(patch)}>
            {patch === null ? 'Nothing differs' : 'Take over what differs'}
          </Button>
        )}
      </div>
      {problem !== null && <p className={sectionStyles.problem}>{problem}</p>}
      {save.isError && (
        <p className={sectionStyles.problem} role="alert">
          {toErrorInfo(save.error).message}
        </p>
      )}
      {rows.length > 0 && (
        <table className={figureStyles.table}>
          <thead>
            <tr>
              <th scope="col">There</th>
              <th scope="col">Value</th>
              <th scope="col">Here</th>
              <th scope="col">Value now</th>
              <th scope="col">Note</th>
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr key={row.variable} data-state={row.state} className={sectionStyles.row}>
                <td>
                  <code>{row.name.split('.').at(-1)}</code>
                </td>
                <td>{row.there}</td>
                <td>
                  <code>{row.variable}</code>
                </td>
                <td>{row.here}</td>
                <td className={sectionStyles.note}>{row.note}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </article>
  )
}
