import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useId, useRef, useState } from 'react'
import type { SettingsReport } from '#core/contract/settings.ts'
import { api } from '#renderer/api.ts'
import { toErrorInfo } from '#renderer/error-text.ts'
import { Icon } from '#renderer/ui/controls/icon.tsx'
import { IconButton } from '#renderer/ui/controls/icon-button.tsx'
import { SectionHeading } from '#renderer/ui/controls/section-heading.tsx'
import { Segmented } from '#renderer/ui/controls/segmented.tsx'
import { chooseTheme, THEME_CHOICES, useThemeChoice } from '#renderer/ui/controls/theme.ts'
import { ViewHeader } from '#renderer/ui/controls/view-header.tsx'
import { NodeIdText } from '#renderer/ui/nodes/node-id-text.tsx'
import { AgentConnections, useAgentsHere } from '#renderer/ui/parts/agent-connections.tsx'
import { ErrorState } from '#renderer/ui/states/error-state.tsx'
import { Loading } from '#renderer/ui/states/loading.tsx'
import { Notice } from '#renderer/ui/states/notice.tsx'
import fieldStyles from '#renderer/ui/styles/search-input.module.css'
import { formatCount } from '#renderer/ui/texts/format.ts'
import { ChainList } from './chain-list.tsx'
import { EmbeddingsSection } from './embeddings-section.tsx'
import { FoundList } from './found-list.tsx'
import { NotificationsSection } from './notifications-section.tsx'
import { ObjectsSection } from './objects-section.tsx'
import { ProviderList } from './provider-list.tsx'
import sectionStyles from './section.module.css'
import {
  acceptsText,
  choiceLabel,
  choicesOf,
  findSettings,
  groupSettings,
  hasWords,
  type NamedSetting,
  type SettingGroup,
  typedValue,
  unknownText,
  valueText,
} from './setting-groups.ts'
import styles from './settings-view.module.css'
import { useSaveSettings } from './use-save-settings.ts'
import { SourceChip, ValueField } from './value-field.tsx'

/** The settings with the source of each value, and controls to change them. It needs no open memory. */
export function SettingsView() {
  const report = useQuery(api.settings.report.queryOptions())
  if (report.error && !report.data) return <ErrorState error={report.error} onRetry={() => void report.refetch()} />
  if (!report.data) return <Loading what="the settings" lines={7} />
  return <Settings report={report.data} />
}

function Settings({ report }: { readonly report: SettingsReport }) {
  const [typed, setTyped] = useState('')
  const page = useRef<HTMLDivElement>(null)
  const others = useQuery(api.machine.discoverSettings.queryOptions())
  const hasOthers = others.isError || (others.data?.length ?? 0) > 0
  const objects = useQuery(api.servers.objects.queryOptions())
  const hasObjects = objects.isError || (objects.data ?? null) !== null
  const hasAgents = useAgentsHere() !== null
  const sections = sectionsOf(report, { hasOthers, hasObjects, hasAgents }, typed)
  const goTo = (title: string) =>
    [...(page.current?.children ?? [])]
      .find((element) => element.getAttribute('data-title') === title)
      ?.scrollIntoView({ block: 'start' })
  return (
    <div className={styles.view}>
      <ViewHeader title="Settings">
        A setting in the environment counts first, then one in the file <NodeIdText id={report.path} />, then the
        default.
      </ViewHeader>
      <div className={styles.columns}>
        <div className={styles.aside}>
          <label className={fieldStyles.field}>
            <Icon name="search" />
            <input
              type="search"
              placeholder="Find a setting"
              aria-label="Find a setting"
              spellCheck={false}
              value={typed}
              onChange={(event) => setTyped(event.target.value)}
              onKeyDown={(event) => {
                if (event.key !== 'Escape' || typed === '') return
                event.stopPropagation()
                setTyped('')
              }}
            />
          </label>
          <nav className={styles.contents} aria-label="Sections of the settings">
            {sections.map(({ title }) => (
              <button key={title} type="button" className={styles.link} onClick={() => goTo(title)}>
                {title}
              </button>
            ))}
          </nav>
        </div>
        <div ref={page} className={styles.sections}>
          {report.unknown.length > 0 && (
            <Notice title="Variables that are not known here.">{unknownText(report.unknown)}</Notice>
          )}
          {sections.length === 0 && <p className={sectionStyles.text}>No setting has these words.</p>}
          {sections.map(({ title, content }) => (
            <div key={title} data-title={title} className={styles.part}>
              {content}
            </div>
          ))}
        </div>
      </div>
    </div>
  )
}

type Section = { readonly title: string; readonly content: ReactNode }

/** The sections in order, or what the typed words find in them. */
function sectionsOf(
  report: SettingsReport,
  {
    hasOthers,
    hasObjects,
    hasAgents,
  }: { readonly hasOthers: boolean; readonly hasObjects: boolean; readonly hasAgents: boolean },
  typed: string,
): readonly Section[] {
  const own = (title: string, words: string, content: ReactNode): readonly Section[] =>
    hasWords(`${title} ${words}`, typed) ? [{ title, content }] : []
  const models = report.providers.map(({ name, model, baseUrl }) => `${name} ${model} ${baseUrl}`).join(' ')
  return [
    ...own('Appearance', 'theme dark light high contrast colour system', <ThemeChoice />),
    ...own('Notifications', 'desktop wrong watch tell', <NotificationsSection />),
    ...(hasAgents
      ? own('Agents on this computer', 'connect hooks claude code codex install doctor', <AgentConnections />)
      : []),
    ...own('Models', `providers keys base url anthropic openai ${models}`, <ProviderList report={report} />),
    ...own('Order of models', 'chain summarisers LCM_SUMMARIZERS', <ChainList report={report} />),
    ...own('Spend cap', 'most tokens cost of a run LCM_SPEND_CAP_TOKENS', <SpendCap report={report} />),
    ...own('Questions in other words', 'embeddings vectors LCM_EMBEDDINGS', <EmbeddingsSection report={report} />),
    ...(hasObjects
      ? own(
          'Large files in PostgreSQL',
          's3 bucket keys aws LCM_OBJECTS',
          <ObjectsSection canStoreKeys={report.canStoreKeys} />,
        )
      : []),
    ...findSettings(groupSettings(report.effective), typed).map((group) => ({
      title: group.title,
      content: <SettingTable group={group} />,
    })),
    ...(hasOthers ? own('Other systems on this machine', 'take over argentos', <FoundList report={report} />) : []),
  ]
}

/** The values of one purpose, each with its source. */
function SettingTable({ group: { title, settings } }: { readonly group: SettingGroup }) {
  return (
    <section className={sectionStyles.section}>
      <SectionHeading>{title}</SectionHeading>
      <ul>
        {settings.map(({ label, setting }) => (
          <SettingRow key={setting.variable} label={label} setting={setting} />
        ))}
      </ul>
    </section>
  )
}

/** Chooses a theme, or that of the desktop. */
function ThemeChoice() {
  const choice = useThemeChoice()
  return (
    <section className={sectionStyles.section}>
      <SectionHeading>Appearance</SectionHeading>
      <div className={styles.theme}>
        <span>Theme</span>
        <Segmented label="Theme" options={THEME_CHOICES} value={choice} onChange={chooseTheme} />
      </div>
      <p className={sectionStyles.text}>
        “As the system” follows the desktop, also in its wish for more contrast. Colours that the desktop forces come
        before every theme.
      </p>
    </section>
  )
}

/** One value. It is edited in place unless the environment sets it. */
function SettingRow({ label, setting }: NamedSetting) {
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

const SPEND_CAP = 'LCM_SPEND_CAP_TOKENS'

/** Most tokens that one compaction or batch run may exchange with models. */
function SpendCap({ report }: { readonly report: SettingsReport }) {
  const save = useSaveSettings()
  const describedBy = useId()
  const { spendCapTokens } = report
  const source = report.effective.find(({ variable }) => variable === SPEND_CAP)?.source ?? 'default'
  const text = spendCapTokens === null ? '' : String(spendCapTokens)
  const put = (typed: string) => {
    const trimmed = typed.trim().replaceAll(/[,_ ]/g, '')
    save.mutate({ spendCapTokens: trimmed === '' ? null : Number(trimmed) })
  }
  return (
    <section className={sectionStyles.section}>
      <SectionHeading>Spend cap</SectionHeading>
      <p id={describedBy} className={sectionStyles.text}>
        Most tokens, in and out together, that one compaction or batch run may exchange with models. After that the
        built-in extractor makes the rest. Empty is no cap.
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
        tokens
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
