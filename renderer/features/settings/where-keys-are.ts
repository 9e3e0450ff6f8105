/** Says where keys come from. A desktop without a keychain, or with one that is locked, keeps none. */
export function whereKeysAre(hostKind: 'electron' | 'browser', canStoreKeys: boolean): string {
  if (canStoreKeys)
    return 'Keys are kept in the keychain of this desktop, or come from the environment, which counts first. No key is ever shown.'
  return hostKind === 'browser'
    ? 'Keys come from the environment only: here there is no keychain to keep them in. The desktop app has one.'
    : 'Keys come from the environment only: this desktop has no keychain that can be reached. Unlock or install one, such as GNOME Keyring or KWallet, and start the app again.'
}
