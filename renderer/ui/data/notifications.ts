import type { WatchFinding } from '#core/contract/watch.ts'
import { readStored, useStored } from './use-stored.ts'

const KEY = 'notifies'

/** Whether the desktop is told of what goes wrong while nobody looks at the window. */
export const areNotificationsOn = (): boolean =>
  readStored<boolean>(KEY, false) && 'Notification' in globalThis && Notification.permission === 'granted'

/**
 * Says whether notifications are on, and turns them on or off. Turning them on asks for permission, and the promise says
 * whether it was given.
 */
export function useNotificationChoice() {
  const [, store] = useStored<boolean>(KEY, false)
  return {
    isOn: areNotificationsOn(),
    choose: async (isOn: boolean): Promise<boolean> => {
      const isAllowed =
        !isOn || ('Notification' in globalThis && (await Notification.requestPermission()) === 'granted')
      store(isOn && isAllowed)
      return isAllowed
    },
  }
}

const keyOf = ({ kind, conversationId }: WatchFinding): string => `${kind} ${conversationId}`

/** Returns the findings that were not there before. One that only has another text, such as a higher count, is not new. */
export function newFindings(before: readonly WatchFinding[], now: readonly WatchFinding[]): readonly WatchFinding[] {
  const known = new Set(before.map(keyOf))
  return now.filter((finding) => !known.has(keyOf(finding)))
}

/** Tells the desktop what is wrong and where. @param onClick is called when a person clicks on it */
export function notify(finding: WatchFinding, fileName: string, onClick: () => void): void {
  const place = finding.conversationId === null ? fileName : `${fileName}, conversation ${finding.conversationId}`
  const shown = new Notification(finding.text, {
    body: `${place}. ${finding.mend}`,
    tag: `${fileName} ${keyOf(finding)}`,
  })
  shown.onclick = () => {
    globalThis.focus()
    onClick()
  }
}
