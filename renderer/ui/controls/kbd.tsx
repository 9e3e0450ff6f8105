import styles from './kbd.module.css'

/** A key. `Mod` is shown as ⌘ on a Mac and as Ctrl elsewhere. */
export function Kbd({ children }: { readonly children: string }) {
  const mod = navigator.platform.startsWith('Mac') ? '⌘' : 'Ctrl'
  return <kbd className={styles.key}>{children.replace('Mod', mod)}</kbd>
}
