import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { api } from '#renderer/api.ts'
import { useLive } from '#renderer/live.ts'
import { areNotificationsOn } from './notifications.ts'

/** What goes wrong while an agent works is known so soon. A look asks the file only when it has changed. */
const LOOK_MS = 10_000
/** A look at a large file is followed by a rest of this many times its duration. */
const REST = 30

/**
 * What is wrong with the memory while its agent works, asked again and again as long as it is shown and not paused.
 * @param isAtOnce false where it waits, so that what a window begins with is drawn first
 */
export function useWatch(isAtOnce: boolean) {
  const { paused } = useLive()
  const [isDue, setDue] = useState(isAtOnce)
  useEffect(() => {
    const timer = setTimeout(() => setDue(true), LOOK_MS)
    return () => clearTimeout(timer)
  }, [])
  return useQuery(
    api.watch.look.queryOptions({
      refetchInterval: ({ state }) => !paused && Math.max(LOOK_MS, REST * (state.data?.tookMs ?? 0)),
      // A window that nobody looks at asks only when it may say what it finds.
      refetchIntervalInBackground: areNotificationsOn(),
      enabled: isDue,
      retry: false,
    }),
  )
}
