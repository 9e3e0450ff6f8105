type Props = {
  readonly className?: string | undefined
  readonly title?: string
  readonly children: React.ReactNode
}

/** A cell of a table whose rows exist only while they are in sight. */
export function TableCell({ className, title, children }: Props) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: thousands of rows, which no table element can leave out
    <span role="cell" className={className} title={title}>
      {children}
    </span>
  )
}
