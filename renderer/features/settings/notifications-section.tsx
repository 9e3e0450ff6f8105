import { useState } from 'react'
import { SectionHeading } from '#renderer/ui/controls/section-heading.tsx'
import { Segmented } from '#renderer/ui/controls/segmented.tsx'
import { useNotificationChoice } from '#renderer/ui/data/notifications.ts'
import sectionStyles from './section.module.css'
import styles from './settings-view.module.css'

const CHOICES = [
  { value: 'off', label: 'off' },
  { value: 'on', label: 'on' },
] as const

/** Whether the desktop is told of what goes wrong while nobody looks at the window. */
export function NotificationsSection() {
  const { isOn, choose } = useNotificationChoice()
  const [isRefused, setRefused] = useState(false)
  return (
    <section className={sectionStyles.section}>
      <SectionHeading>Notifications</SectionHeading>
      <div className={styles.theme}>
        <span>When something goes wrong</span>
        <Segmented
          label="Notifications"
          options={CHOICES}
          value={isOn ? 'on' : 'off'}
          onChange={(value) => void choose(value === 'on').then((isAllowed) => setRefused(!isAllowed))}
        />
      </div>
      <p className={sectionStyles.text}>
        While this window is open and you look at another one, the desktop says what goes wrong in the memory and where,
        once each: messages that do not arrive, compactions that fail, summaries that say nothing.
      </p>
      {isRefused && (
        <p className={sectionStyles.text} role="status">
          Notifications are not allowed here. Allow them for this page in the settings of the browser, then choose “on”
          again.
        </p>
      )}
    </section>
  )
}
