"""What is needed to check and run one tool, worked out once; others use `plan.CallPlan` alone."""
