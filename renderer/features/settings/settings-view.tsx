import { useQuery } from '@tanstack/react-query'
import type { SettingsReport } from '../../../core/contract/settings.ts'
import { api } from '../../api.ts'
import { ErrorState } from '../../ui/error-state.tsx'
import { Loading } from '../../ui/loading.tsx'
import { NodeIdText } from '../../ui/node-id-text.tsx'
import { Notice } from '../../ui/notice.tsx'
import { SectionHeading } from '../../ui/section-heading.tsx'
import { Segmented } from '../../ui/segmented.tsx'
import { chooseTheme, useThemeChoice } from '../../ui/theme.ts'
import { ViewHeader } from '../../ui/view-header.tsx'
import { ChainList } from './chain-list.tsx'
import { EmbeddingsSection } from './embeddings-section.tsx'
import { FoundList } from './found-list.tsx'
import { ProviderList } from './provider-list.tsx'
import sectionStyles from './section.module.css'
import { groupSettings, unknownText } from './setting-groups.ts'
import { SettingRow } from './setting-row.tsx'
import styles from './settings-view.module.css'
import { SpendCap } from './spend-cap.tsx'

/** The settings with the source of each value, and controls to change them. It needs no open memory. */
export function SettingsView() {
  const report = useQuery(api.settings.report.queryOptions())
  if (report.error && !report.data) return <ErrorState error={report.error} onRetry={() => void report.refetch()} />
  if (!report.data) return <Loading what="the settings" lines={7} />
  return (
    <div className={styles.view}>
      <ViewHeader title="Settings">
        The environment stands above the file <NodeIdText id={report.data.path} />, and the file above the defaults.
      </ViewHeader>
      <div className={styles.sections}>
        {report.data.unknown.length > 0 && (
          <Notice title="Variables that are not known here.">{unknownText(report.data.unknown)}</Notice>
        )}
        <ProviderList report={report.data} />
        <ChainList report={report.data} />
        <EmbeddingsSection report={report.data} />
        <SpendCap report={report.data} />
        <FoundList report={report.data} />
        <SettingTable report={report.data} />
        <ThemeChoice />
      </div>
    </div>
  )
}

/** Every value with its source, grouped by purpose. */
function SettingTable({ report }: { readonly report: SettingsReport }) {
  return groupSettings(report.effective).map(({ title, settings }) => (
    <section key={title} className={sectionStyles.section}>
      <SectionHeading>{title}</SectionHeading>
      <ul>
        {settings.map((setting) => (
          <SettingRow key={setting.variable} setting={setting} />
        ))}
      </ul>
    </section>
  ))
}

const CHOICES = [
  { value: 'system', label: 'as the system' },
  { value: 'dark', label: 'dark' },
  { value: 'light', label: 'light' },
] as const

/** Chooses dark, light, or the setting of the desktop. */
function ThemeChoice() {
  const choice = useThemeChoice()
  return (
    <section className={sectionStyles.section}>
      <SectionHeading>Theme</SectionHeading>
      <div>
        <Segmented label="Theme" options={CHOICES} value={choice} onChange={chooseTheme} />
      </div>
    </section>
  )
}
