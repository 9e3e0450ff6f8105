import { navigate, parseRoute, useRoute } from '../../routes.ts'
import { Button } from '../../ui/button.tsx'
import { Notice } from '../../ui/notice.tsx'
import styles from './elsewhere.module.css'

/** Says that the selection is of another conversation than the one on screen, which therefore cannot show it. */
export function Elsewhere({ conversationId }: { readonly conversationId: number }) {
  const route = useRoute()
  if (route.conversationId === null || route.conversationId === conversationId) return null
  const go = () => navigate({ conversationId, selection: parseRoute(location.hash).selection }, 'push')
  return (
    <div className={styles.elsewhere}>
      <Notice title="Of another conversation.">The views show a different one.</Notice>
      <Button onClick={go}>Go to its conversation</Button>
    </div>
  )
}
