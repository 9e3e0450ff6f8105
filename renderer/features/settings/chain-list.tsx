import type { SettingsReport } from '#core/contract/settings.ts'
import { toErrorInfo } from '#renderer/error-text.ts'
import { IconButton } from '#renderer/ui/controls/icon-button.tsx'
import { SectionHeading } from '#renderer/ui/controls/section-heading.tsx'
import { SelectField } from '#renderer/ui/controls/select-field.tsx'
import { writersOf } from '#renderer/ui/data/summarizers.ts'
import { moveInChain } from './chain-order.ts'
import sectionStyles from './section.module.css'
import { useSaveSettings } from './use-save-settings.ts'
import { SourceChip } from './value-field.tsx'

/** The order in which models are tried. The built-in extractor is always last, so that a run always gets a summary. */
export function ChainList({ report }: { readonly report: SettingsReport }) {
  const save = useSaveSettings()
  const { chain, providers, effective } = report
  const source = effective.find(({ variable }) => variable === 'LCM_SUMMARIZERS')?.source ?? 'default'
  const isFixed = source === 'environment'
  const others = writersOf({ providers }).filter(({ name }) => !chain.includes(name))
  const put = (next: readonly string[]) => save.mutate({ chain: [...next] })
  return (
    <section className={sectionStyles.section}>
      <SectionHeading aside={<SourceChip source={source} />}>Order of models</SectionHeading>
      <p className={sectionStyles.text}>
        The first is asked; where it fails, the next. {isFixed && 'LCM_SUMMARIZERS sets it.'}
      </p>
      <ol>
        {chain.map((name, at) => (
          <li key={name} className={sectionStyles.item}>
            <span className={sectionStyles.place}>{at + 1}</span>
            <span className={sectionStyles.name}>{name}</span>
            {!isFixed && (
              <span className={sectionStyles.actions}>
                <IconButton
                  icon="arrowUp"
                  label={`Try ${name} earlier`}
                  disabled={at === 0 || save.isPending}
                  onClick={() => put(moveInChain(chain, at, -1))}
                />
                <IconButton
                  icon="arrowDown"
                  label={`Try ${name} later`}
                  disabled={at === chain.length - 1 || save.isPending}
                  onClick={() => put(moveInChain(chain, at, 1))}
                />
                <IconButton
                  icon="close"
                  label={`Take ${name} out of the order`}
                  disabled={save.isPending}
                  onClick={() => put(chain.filter((other) => other !== name))}
                />
              </span>
            )}
          </li>
        ))}
        <li className={sectionStyles.item}>
          <span className={sectionStyles.place}>{chain.length + 1}</span>
          <span>built-in extractor</span>
          <span className={sectionStyles.always}>always last</span>
        </li>
      </ol>
      {!isFixed && others.length > 0 && (
        <div className={sectionStyles.add}>
          <SelectField
            label="Add to the order"
            value=""
            disabled={save.isPending}
            options={[{ value: '', label: 'choose…' }, ...others.map(({ name }) => ({ value: name, label: name }))]}
            onChange={(name) => name !== '' && put([...chain, name])}
          />
        </div>
      )}
      {save.isError && (
        <p className={sectionStyles.problem} role="alert">
          {toErrorInfo(save.error).message}
        </p>
      )}
    </section>
  )
}
