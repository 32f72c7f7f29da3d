-- Keys of checkpoints and of scheduled jobs get their present names. A quoted name with a colon is a key, since the quotes of a
-- string in a string are escaped.
UPDATE crawls SET checkpoint =
  replace(replace(replace(replace(replace(replace(replace(replace(replace(
  replace(replace(replace(replace(replace(replace(replace(replace(replace(checkpoint
    , '"guard":', '"cycleDetector":')
    , '"first":', '"firstPage":')
    , '"last":', '"lastPage":')
    , '"recent":', '"recentCursors":')
    , '"mark":', '"olderCursor":')
    , '"empties":', '"emptyPages":')
    , '"verified":', '"isHandleVerified":')
    , '"followed":', '"isHandleUnused":')
    , '"walk":', '"scan":')
    , '"fromTop":', '"isFromTop":')
    , '"apart":', '"outlier":')
    , '"passport":', '"cursorOrigin":')
    , '"jumped":', '"hasInheritedCursor":')
    , '"tookOver":', '"skippedDownTo":')
    , '"lacks":', '"hasSkippedRejects":')
    , '"refused":', '"refusedCursors":')
    , '"forgiven":', '"uncountedRefusals":')
    , '"scan":"lost"', '"scan":"unordered"')
WHERE checkpoint IS NOT NULL;
--> statement-breakpoint
UPDATE _scheduled_jobs SET definition = replace(definition, '"class":', '"priority":');
