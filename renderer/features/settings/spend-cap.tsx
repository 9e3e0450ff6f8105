import { useId } from 'react'
import type { SettingsReport } from '../../../core/contract/settings.ts'
import { toErrorInfo } from '../../error-text.ts'
import { formatCount } from '../../ui/format.ts'
import { SectionHeading } from '../../ui/section-heading.tsx'
import sectionStyles from './section.module.css'
import { SourceChip } from './source-chip.tsx'
import { useSaveSettings } from './use-save-settings.ts'
import { ValueField } from './value-field.tsx'

const VARIABLE = 'LCM_SPEND_CAP_TOKENS'

/** Most tokens that one run may exchange with models. */
export function SpendCap({ report }: { readonly report: SettingsReport }) {
  const save = useSaveSettings()
  const describedBy = useId()
  const { spendCapTokens } = report
  const source = report.effective.find(({ variable }) => variable === VARIABLE)?.source ?? 'default'
  const text = spendCapTokens === null ? '' : String(spendCapTokens)
  const put = (typed: string) => {
    const trimmed = typed.trim().replaceAll(/[,_ ]/g, '')
    save.mutate({ spendCapTokens: trimmed === '' ? null : Number(trimmed) })
  }
  return (
    <section className={sectionStyles.section}>
      <SectionHeading>Spend cap</SectionHeading>
      <p id={describedBy} className={sectionStyles.text}>
        Most tokens, in and out together, that one run may exchange with models. What is left of a run after that is
        made by the built-in extractor. Empty is no cap.
      </p>
      <div className={sectionStyles.line}>
        {source === 'environment' ? (
          <span>{spendCapTokens === null ? 'no cap' : formatCount(spendCapTokens)}</span>
        ) : (
          <ValueField
            key={text}
            label="Spend cap in tokens"
            value={text}
            placeholder="no cap"
            isInvalid={save.isError}
            describedBy={describedBy}
            onCommit={put}
            onRevert={save.reset}
          />
        )}
        tokens a run
        <SourceChip source={source} />
      </div>
      {save.isError && (
        <p className={sectionStyles.problem} role="alert">
          {toErrorInfo(save.error).message}
        </p>
      )}
    </section>
  )
}
