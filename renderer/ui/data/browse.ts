import type { ReactNode } from 'react'

/** Shows the folders of the machine to choose a file, under a title that says for what. */
export type Browse = (title: string, onChoose: (path: string) => void, onClose: () => void) => ReactNode
