/** The one field of the window in which one searches has this id, so that a key can lead to it from anywhere. */
export const SEARCH_FIELD = 'search-field'
