import { useEffect, useRef } from 'react'
import type { WatchFinding } from '#core/contract/watch.ts'
import { navigate } from '../routes.ts'
import { areNotificationsOn, newFindings, notify } from '../ui/data/notifications.ts'
import { useWatch } from '../ui/data/use-watch.ts'

const isLookedAt = (): boolean => !document.hidden && document.hasFocus()

/** Tells the desktop of what goes wrong in a memory while nobody looks at its window, where that is chosen. */
export function useFindingNotices(fileName: string): void {
  const { data } = useWatch(false)
  const last = useRef<readonly WatchFinding[] | null>(null)
  useEffect(() => {
    if (data === undefined) return
    const before = last.current
    last.current = data.findings
    // What was wrong when the window was opened is seen in it.
    if (before === null || isLookedAt() || !areNotificationsOn()) return
    for (const finding of newFindings(before, data.findings))
      notify(finding, fileName, () => navigate({ view: 'activity' }, 'push'))
  }, [data, fileName])
}
