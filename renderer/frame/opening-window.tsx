import { HomeButton } from '../ui/controls/home-button.tsx'
import { Loading } from '../ui/states/loading.tsx'
import bar from '../ui/styles/page-bar.module.css'
import { fileNameOf, shortenPath } from '../ui/texts/format.ts'
import list from './conversation-list.module.css'
import pill from './file-pill.module.css'
import frame from './memory-window.module.css'
import line from './status-line.module.css'
import tabs from './tabs.module.css'

/** The window while its file is being opened. The known parts are in their final positions. */
export function OpeningWindow({ file }: { readonly file: string }) {
  return (
    <div className={frame.window}>
      <header className={bar.bar}>
        <HomeButton />
        <div className={pill.pill}>
          <span className={pill.dot} data-state="opening" />
          <span className={pill.path} title={file}>
            <bdi>{shortenPath(file)}</bdi>
          </span>
        </div>
      </header>
      <div className={frame.middle}>
        <div className={list.panel} />
        <main className={frame.centre}>
          <div className={tabs.tabs} />
          <div className={frame.view}>
            <Loading what={file} lines={7} doing={`Opening ${fileNameOf(file)}…`} />
          </div>
        </main>
      </div>
      <footer className={line.line} />
    </div>
  )
}
