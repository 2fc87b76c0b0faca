"""What is needed to check and run one tool, worked out once; `plan.CallPlan` is what others use."""
