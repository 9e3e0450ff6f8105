import { SectionHeading } from '../../ui/section-heading.tsx'
import { Segmented } from '../../ui/segmented.tsx'
import { chooseTheme, useThemeChoice } from '../../ui/theme.ts'
import styles from './section.module.css'

const CHOICES = [
  { value: 'system', label: 'as the system' },
  { value: 'dark', label: 'dark' },
  { value: 'light', label: 'light' },
] as const

/** Chooses dark, light, or the setting of the desktop. */
export function ThemeChoice() {
  const choice = useThemeChoice()
  return (
    <section className={styles.section}>
      <SectionHeading>Theme</SectionHeading>
      <div>
        <Segmented label="Theme" options={CHOICES} value={choice} onChange={chooseTheme} />
      </div>
    </section>
  )
}
