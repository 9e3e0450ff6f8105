import { describe, expect, it } from 'vitest'
import { ErrorCode } from '#core/contract/error.ts'
import { errorReport, errorText, toErrorInfo } from '#renderer/error-text.ts'

describe('errors in the window', () => {
  it('have a title and a next step for every code', () => {
    for (const code of ErrorCode.options) {
      expect(errorText(code).title.length).toBeGreaterThan(5)
      expect(errorText(code).next).toMatch(/[.”]$/)
    }
  })

  it('carry the code, message and details of the core', () => {
    const thrown = Object.assign(new Error('x'), {
      data: { code: 'locked', message: 'held by 12', retryable: true, details: { holder: 12 } },
    })
    expect(toErrorInfo(thrown)).toEqual({
      code: 'locked',
      message: 'held by 12',
      retryable: true,
      details: { holder: 12 },
    })
  })

  it('have the code internal when they did not come from the core', () => {
    expect(toErrorInfo(new TypeError('boom'))).toEqual({ code: 'internal', message: 'boom', retryable: false })
    expect(toErrorInfo('boom').code).toBe('internal')
    expect(toErrorInfo({ data: { code: 'toString', message: 'x' } }).code).toBe('internal')
  })

  it('are copied together with their details', () => {
    expect(errorReport({ code: 'locked', message: 'm', retryable: true, details: { holder: 12 } })).toContain(
      '"holder": 12',
    )
  })
})
