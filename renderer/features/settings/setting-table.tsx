import type { SettingsReport } from '../../../core/contract/settings.ts'
import { SectionHeading } from '../../ui/section-heading.tsx'
import sectionStyles from './section.module.css'
import { groupSettings } from './setting-groups.ts'
import { SettingRow } from './setting-row.tsx'

/** Every value with its source, grouped by purpose. */
export function SettingTable({ report }: { readonly report: SettingsReport }) {
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
