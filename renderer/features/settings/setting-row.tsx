import { useId } from 'react'
import { toErrorInfo } from '../../error-text.ts'
import { IconButton } from '../../ui/icon-button.tsx'
import { acceptsText, choiceLabel, choicesOf, type NamedSetting, typedValue, valueText } from './setting-groups.ts'
import styles from './settings-view.module.css'
import { SourceChip } from './source-chip.tsx'
import { useSaveSettings } from './use-save-settings.ts'
import { ValueField } from './value-field.tsx'

/** One value. It is edited in place unless the environment sets it. */
export function SettingRow({ label, setting }: NamedSetting) {
  const { variable, value, source, givenBy, effect } = setting
  const describedBy = useId()
  const save = useSaveSettings()
  const text = valueText(value)
  const isEditable = source !== 'environment'
  const put = (typed: string) => save.mutate({ values: { [variable]: typedValue(typed, value) } })
  return (
    <li className={styles.row}>
      <div className={styles.name}>
        <span className={styles.label}>
          {label} <code>{variable}</code>
        </span>
        <span className={styles.about}>{effect}</span>
        {givenBy !== null && <span className={styles.about}>Given by {givenBy}</span>}
      </div>
      <div className={styles.value}>
        {isEditable ? (
          <ValueField
            key={text}
            label={label}
            value={text}
            placeholder={setting.byDefault}
            choices={choicesOf(setting)}
            isInvalid={save.isError}
            describedBy={describedBy}
            onCommit={put}
            onRevert={save.reset}
          />
        ) : (
          <span className={styles.fixed}>{choiceLabel(text === '' ? setting.byDefault : text)}</span>
        )}
      </div>
      <span className={styles.source}>
        <SourceChip source={source} />
        {source === 'file' && givenBy === null && isEditable && (
          <IconButton
            icon="close"
            label={`Back to the default: ${label}`}
            onClick={() => save.mutate({ values: { [variable]: null } })}
          />
        )}
      </span>
      <p
        id={describedBy}
        className={styles.accepts}
        data-error={save.isError ? '' : undefined}
        role={save.isError ? 'alert' : undefined}
      >
        {save.isError ? toErrorInfo(save.error).message : acceptsText(setting)}
      </p>
    </li>
  )
}
