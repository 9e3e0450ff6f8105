import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useRef, useState } from 'react'
import type { SettingsReport } from '../../../core/contract/settings.ts'
import { api } from '../../api.ts'
import { ErrorState } from '../../ui/error-state.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Loading } from '../../ui/loading.tsx'
import { NodeIdText } from '../../ui/node-id-text.tsx'
import { Notice } from '../../ui/notice.tsx'
import fieldStyles from '../../ui/search-input.module.css'
import { SectionHeading } from '../../ui/section-heading.tsx'
import { Segmented } from '../../ui/segmented.tsx'
import { chooseTheme, THEME_CHOICES, useThemeChoice } from '../../ui/theme.ts'
import { ViewHeader } from '../../ui/view-header.tsx'
import { ChainList } from './chain-list.tsx'
import { EmbeddingsSection } from './embeddings-section.tsx'
import { FoundList } from './found-list.tsx'
import { ObjectsSection } from './objects-section.tsx'
import { ProviderList } from './provider-list.tsx'
import sectionStyles from './section.module.css'
import { findSettings, groupSettings, hasWords, type SettingGroup, unknownText } from './setting-groups.ts'
import { SettingRow } from './setting-row.tsx'
import styles from './settings-view.module.css'
import { SpendCap } from './spend-cap.tsx'

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
  const sections = sectionsOf(report, { hasOthers, hasObjects }, typed)
  const goTo = (title: string) =>
    [...(page.current?.children ?? [])]
      .find((element) => element.getAttribute('data-title') === title)
      ?.scrollIntoView({ block: 'start' })
  return (
    <div className={styles.view}>
      <ViewHeader title="Settings">
        The environment stands above the file <NodeIdText id={report.path} />, and the file above the defaults.
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
  { hasOthers, hasObjects }: { readonly hasOthers: boolean; readonly hasObjects: boolean },
  typed: string,
): readonly Section[] {
  const own = (title: string, words: string, content: ReactNode): readonly Section[] =>
    hasWords(`${title} ${words}`, typed) ? [{ title, content }] : []
  const models = report.providers.map(({ name, model, baseUrl }) => `${name} ${model} ${baseUrl}`).join(' ')
  return [
    ...own('Appearance', 'theme dark light high contrast colour system', <ThemeChoice />),
    ...own('Models', `providers keys base url anthropic openai ${models}`, <ProviderList report={report} />),
    ...own('Chain', 'order of models summarisers LCM_SUMMARIZERS', <ChainList report={report} />),
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
