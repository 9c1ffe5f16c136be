-- contract: nothing of the release before this one uses what goes here.
DROP TABLE `signups`;