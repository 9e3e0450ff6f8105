import { isWriter } from '#core/contract/lists.ts'
import type { SettingsReport } from '#core/contract/settings.ts'
import { toErrorInfo } from '#renderer/error-text.ts'
import { SectionHeading } from '#renderer/ui/controls/section-heading.tsx'
import { SelectField } from '#renderer/ui/controls/select-field.tsx'
import { EMBEDDINGS } from './embeddings-choice.ts'
import sectionStyles from './section.module.css'
import { useSaveSettings } from './use-save-settings.ts'
import { SourceChip } from './value-field.tsx'

/** Chooses the model with which questions find what says the same in other words. */
export function EmbeddingsSection({ report }: { readonly report: SettingsReport }) {
  const save = useSaveSettings()
  const setting = report.effective.find(({ variable }) => variable === EMBEDDINGS)
  const chosen = typeof setting?.value === 'string' ? setting.value : ''
  const source = setting?.source ?? 'default'
  const models = report.providers.filter((provider) => !isWriter(provider))
  const server = models.find(({ name }) => name === chosen)
  return (
    <section className={sectionStyles.section}>
      <SectionHeading aside={<SourceChip source={source} />}>Questions in other words</SectionHeading>
      <p className={sectionStyles.text}>
        {server
          ? `Texts of a memory are sent to ${server.baseUrl} when you make their vectors, and so is a question in a search that is set to “question”.`
          : models.length === 0
            ? 'Questions find texts by their words. Add a model of the kind Embeddings, for example one on this machine, and they also find texts that say the same in other words.'
            : 'Questions find texts by their words, and nothing is sent. With a model they also find texts that say the same in other words.'}{' '}
        {source === 'environment' && `${EMBEDDINGS} sets it.`}
      </p>
      {models.length > 0 && source !== 'environment' && (
        <div>
          <SelectField
            label="Model for questions"
            value={chosen}
            disabled={save.isPending}
            options={[
              { value: '', label: 'none, by words' },
              ...models.map(({ name, model }) => ({ value: name, label: `${name} · ${model}` })),
            ]}
            onChange={(name) => save.mutate({ values: { [EMBEDDINGS]: name === '' ? null : name } })}
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
